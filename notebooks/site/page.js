// Formulas, the two buttons, and code folded away where the window is narrow. Without scripts
// a page still shows everything, with formulas as TeX.
'use strict';
const stored = (() => { try { return localStorage; } catch { return {}; } })(); // may be forbidden
const root = document.documentElement;
if (stored.theme) root.dataset.theme = stored.theme;

addEventListener('DOMContentLoaded', () => {
  if (window.renderMathInElement) {
    renderMathInElement(document.querySelector('main'), {
      delimiters: [{ left: '$$', right: '$$', display: true }, { left: '$', right: '$', display: false }],
      throwOnError: false, ignoredClasses: ['highlight'],
    });
  }
  const theme = document.getElementById('theme');
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const name = () => { theme.textContent = dark() ? 'light' : 'dark'; };
  theme.onclick = () => { root.dataset.theme = stored.theme = dark() ? 'light' : 'dark'; name(); };
  theme.hidden = false;
  name();

  const cells = [...document.querySelectorAll('section.code > details')];
  const code = document.getElementById('code');
  const fold = open => {
    for (const c of cells) c.open = open;
    code.textContent = open ? 'hide code' : 'show code';
  };
  code.onclick = () => fold(code.textContent === 'show code');
  code.hidden = cells.length === 0;
  for (const c of cells) if (c.querySelector('summary').textContent === 'imports') c.open = false;
  if (innerWidth < 600) fold(false);
});

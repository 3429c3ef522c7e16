// Formulas, the buttons, the menu, the search, what is wider than the window, and code folded away where the window is narrow. Without scripts
// a page still shows everything, with formulas as TeX, and says so.
'use strict';
const stored = (() => { try { return localStorage; } catch { return {}; } })(); // may be forbidden
const root = document.documentElement;
root.dataset.scripts = 'run'; // hides the line that says they do not
if (stored.theme) root.dataset.theme = stored.theme;

// A formula and what touches it, as in "($x$),", break as one word does: only where the formula itself may.
function together(formula) {
  const word = formula.parentNode, { previousSibling: before, nextSibling: after } = word;
  const opens = before?.nodeType === Node.TEXT_NODE ? before.data.match(/[^\s–—/-]*$/)[0] : '';
  const closes = after?.nodeType === Node.TEXT_NODE ? after.data.match(/^[^\s–—/-]*[–—/-]?/)[0] : '';
  if (!opens && !closes) return;
  word.className = 'together';
  for (const part of formula.querySelectorAll('.katex-html > * + *')) part.before(document.createElement('wbr'));
  if (opens) before.data = before.data.slice(0, -opens.length);
  if (closes) after.data = after.data.slice(closes.length);
  word.prepend(opens);
  word.append(closes);
}

const sides = new ResizeObserver(seen => { // what goes on to the side says so, and keeps its first column
  for (const { target: e } of seen) e.classList.toggle('more', e.scrollWidth > e.clientWidth + 1);
});

// dress writes the formulas of a part of the page, and watches what is wide in it.
function dress(part) {
  if (window.katex && window.renderMathInElement) {
    renderMathInElement(part, {
      delimiters: [{ left: '$$', right: '$$', display: true }, { left: '$', right: '$', display: false }],
      throwOnError: false, ignoredClasses: ['highlight'],
    });
    part.querySelectorAll(':not(.katex-display) > .katex').forEach(together);
  } else {
    delete root.dataset.scripts;
  }
  for (const e of part.querySelectorAll('.table, .katex-display, .text > table, pre, .figure, .opens, .slide')) sides.observe(e);
}

addEventListener('DOMContentLoaded', () => {
  dress(document.querySelector('main'));
  if (matchMedia('(pointer: coarse)').matches) { // a telephone fits a PNG to its window, and an SVG to nothing
    for (const a of document.querySelectorAll('a.figure')) {
      a.href = a.querySelector('img').src;
      a.title = 'by itself, as PNG';
    }
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
  if (innerWidth < 600) fold(false);

  const contents = document.querySelector('.contents'), wide = matchMedia('(min-width: 75rem)'); // as in style.css
  if (contents) (wide.onchange = () => { contents.open = wide.matches; })();

  const form = document.querySelector('.search'), [box, shown] = form.children, menu = document.querySelector('.menu');
  form.hidden = false;
  form.onsubmit = e => { // before the search is there
    e.preventDefault();
    form.dataset.asked = 'yes';
  };
  box.oninput = () => { // at the first key
    box.oninput = null;
    const script = document.createElement('script');
    script.src = 'search.js';
    script.onload = () => search(form);
    script.onerror = () => { shown.hidden = false; shown.firstChild.textContent = 'The search cannot be loaded.'; };
    document.head.append(script);
  };
  document.addEventListener('keydown', e => {
    if (e.key !== 'Escape') return;
    if (menu.contains(document.activeElement)) menu.firstChild.focus();
    if (form.contains(document.activeElement)) box.focus();
    menu.open = false;
    shown.hidden = true;
  });
  document.addEventListener('click', e => {
    if (!menu.contains(e.target)) menu.open = false;
    if (!form.contains(e.target)) shown.hidden = true;
  });
});

// The search: build.py writes above it what all pages say, [address, title, [[heading's address, heading, text], …]], and page.js
// loads it at the first key. All words that are asked for must be in a part of a page, in its heading or in the page's title.
'use strict';
const folded = text => text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/[‐‑–−]/g, '-').replace(/’/g, "'").toLowerCase();
const parts = pages.flatMap(([page, title, all]) => all.map(([id, head, text]) => ({ page, id, title, head, text,
  in: [[title, 20], [head, 10], [text, 1]].map(([where, worth]) => [folded(where), worth]) })));

// worth is how well a part answers: each word by where it is, more where it begins a word, and often.
function worth(part, asked) {
  let sum = 0;
  for (const word of asked) {
    let best = 0;
    for (const [text, points] of part.in) {
      const pieces = text.split(word);
      if (pieces.length === 1) continue;
      const begins = pieces.slice(0, -1).some(before => !/[\p{L}\p{N}]$/u.test(before));
      best += points * (text === word ? 6 : begins ? 2 : 1) * Math.min(pieces.length - 1, points === 1 ? 5 : 1);
    }
    if (!best) return 0;
    sum += best;
  }
  return sum;
}

function find(query) {
  const asked = folded(query).split(/\s+/).filter(Boolean), of = {};
  if (!asked.length) return [];
  return parts.map(part => ({ ...part, worth: worth(part, asked) })).filter(p => p.worth).sort((a, b) => b.worth - a.worth)
    .filter(p => (of[p.page] = (of[p.page] || 0) + 1) <= 2).slice(0, 12);
}

// around is the text about the first word that is in it.
function around(text, query) {
  const at = Math.max(0, ...query.toLowerCase().split(/\s+/).filter(Boolean).map(w => text.toLowerCase().indexOf(w)).filter(i => i >= 0).slice(0, 1));
  const from = at < 60 ? 0 : text.indexOf(' ', at - 50) + 1;
  const to = text.length < from + 140 ? text.length : text.lastIndexOf(' ', from + 140);
  return (from ? '… ' : '') + text.slice(from, to) + (to < text.length ? ' …' : '');
}

// search shows the answers to what is in the box, whenever that changes: links, through which the arrows go, too.
function search(form) {
  const [box, shown] = form.children, [said, list] = shown.children;
  const show = () => {
    const query = box.value.trim(), found = find(query);
    said.textContent = found.length ? `${found.length}${found.length === 12 ? ' or more' : ''} places` : `No page has “${query}”.`;
    list.replaceChildren(...found.map(({ page, id, title, head, text }) => {
      const a = document.createElement('a'), more = document.createElement('small');
      a.href = `${page}.html${id && head !== title ? `#${encodeURIComponent(id)}` : ''}`;
      more.textContent = around(text, query);
      a.append(head === title ? title : `${title} › ${head}`, more);
      a.onclick = () => { shown.hidden = true; }; // it may lead to a place on this page
      const item = document.createElement('li');
      item.append(a);
      return item;
    }));
    shown.hidden = !query;
  };
  box.oninput = box.onfocus = show;
  form.onsubmit = e => { e.preventDefault(); list.querySelector('a')?.click(); };
  form.onkeydown = e => {
    const links = [box, ...list.querySelectorAll('a')], step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    links[links.indexOf(document.activeElement) + step]?.focus();
  };
  show();
  if (form.dataset.asked) form.requestSubmit();
}

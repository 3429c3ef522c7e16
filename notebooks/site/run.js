// A page that runs where it is read: its cells can be changed, and run by the Go kernel in kernel/. Until the reader asks for
// that nothing of it is loaded, and where it cannot be the page says why.
'use strict';
addEventListener('DOMContentLoaded', () => {
  const bar = document.getElementById('run'), said = bar.querySelector('span'), { imports, size, files: given } = bar.dataset;
  const button = (text, click) => Object.assign(document.createElement('button'), { textContent: text, onclick: click });
  const say = text => { said.textContent = text; };
  const start = button('Run this page here', load), stop = button('Stop', end);
  const cells = [...document.querySelectorAll('section.code:has(.highlight)')].map((section, i) => new Cell(section, i + 1));
  let kernel, queue = [], now; // the cells that wait, and the one that runs

  const not = cannot();
  say(not || `${size} MB, once: Go’s compiler and the packages of this page. Nothing leaves your machine.`);
  if (!not) bar.prepend(start, ' ');
  else if (matchMedia('(pointer: coarse)').matches) bar.parentNode.append(bar); // to the end of the page

  async function load() {
    start.disabled = true;
    try {
      const { Kernel } = await import('./kernel/kernel.js');
      kernel = new Kernel('kernel', { env: { FWLAB_BUDGET: 'short', FWLAB_DATA: '/home' } });
      for (const f of given.split(' ').filter(Boolean)) {
        const got = await fetch(`files/${f}`);
        if (!got.ok) throw new Error(`files/${f}: ${got.status}`);
        kernel.files.put(`/home/${f}`, new Uint8Array(await got.arrayBuffer()));
      }
      await kernel.load(imports.split(' '), n => say(n < 1e6 * size - 1e5 ? `${(n / 1e6).toFixed(1)} of ${size} MB` : 'The compiler starts.'));
    } catch (e) {
      say(`This page cannot run: ${e.message}. It stays as it is; what has come is kept, so try again.`);
      start.disabled = false;
      return;
    }
    start.replaceWith(button('Run all', () => run(cells)), ' ', stop, ' ', files());
    offline().catch(() => {}); // then the next visit needs the network
    stop.disabled = true;
    for (const c of cells) c.open();
    rest();
  }

  // files takes files of the reader's own to where cells look for data.
  function files() {
    const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true, hidden: true }), open = button('Your files', () => input.click());
    input.onchange = async () => {
      for (const f of input.files) {
        kernel.files.put(`/home/${f.name}`, new Uint8Array(await f.arrayBuffer()));
        say(`${f.name} is here: fwdata.ReadFile("${f.name}") in a cell reads it. It does not leave your machine.`);
      }
      input.value = '';
    };
    open.append(input);
    return open;
  }

  // offline lets a later visit of this page begin without a network: the kernel keeps its own large files.
  async function offline() {
    await navigator.serviceWorker.register('offline.js');
    const own = ['kernel.js', 'files.js', 'worker.js', 'wasm_exec.js', 'index.json'].map(n => `kernel/${n}`);
    const seen = [...performance.getEntriesByType('resource').map(r => r.name), ...[...document.images].map(i => i.src)]
      .filter(n => n.startsWith(location.origin) && !n.includes('.gz'));
    await (await caches.open('fwlab-pages')).addAll([...new Set([location.href.replace(/#.*/, ''), ...seen, ...own].map(u => new URL(u, document.baseURI).href))]);
  }

  // run lets these cells run after those that wait, up to one that fails.
  async function run(list) {
    queue.push(...list.filter(c => !queue.includes(c)));
    for (const c of queue) c.say('waits');
    if (now) return;
    stop.disabled = false;
    while ((now = queue.shift())) if (!await one(now)) drop();
    stop.disabled = true;
    rest();
  }
  const rest = () => say('Change a cell, then Shift+Enter. Runs are shorter here than those whose outputs the page keeps.');
  const drop = () => { for (const c of queue.splice(0)) c.say(''); };
  function end() {
    drop();
    kernel.stop();
  }

  // one runs a cell, on what the cells before it declare as they are now; whether they ever ran does not matter.
  async function one(cell) {
    for (const c of cells.slice(0, cell.number - 1)) {
      const text = c.text();
      if (c.given === text) continue;
      const got = await kernel.declare(text, c.number);
      if (got.status !== 'ok') {
        cell.say(`needs cell ${c.number}`);
        outputs(c.section).end(got);
        return false;
      }
      c.given = text;
    }
    const text = cell.text(), out = outputs(cell.section), began = Date.now();
    const tell = () => { cell.say(`${Math.round((Date.now() - began) / 1000)} s`); say(`Cell ${cell.number} of ${cells.length} runs.`); };
    tell();
    const clock = setInterval(tell, 1000), got = await kernel.execute(text, out, cell.number);
    clearInterval(clock);
    out.end(got);
    cell.given = got.run === undefined && got.status === 'error' ? null : text;
    cell.say(got.status === 'ok' ? `${((Date.now() - began) / 1000).toFixed(1)} s` : got.status === 'error' ? 'failed' : got.status);
    return got.status === 'ok';
  }

  function Cell(section, number) {
    const code = section.querySelector('.highlight pre'), state = document.createElement('span');
    Object.assign(this, { section, number, given: null, text: () => code.innerText.replace(/\n$/, ''), say: text => { state.textContent = ` ${text}`; } });
    this.open = () => {
      try { code.contentEditable = 'plaintext-only'; } catch { code.contentEditable = true; }
      code.spellcheck = false;
      code.setAttribute('aria-label', `cell ${number}`);
      code.onkeydown = e => {
        if (e.key === 'Enter' && (e.shiftKey || e.ctrlKey)) run([this]);
        else if (e.key === 'Tab' && !e.shiftKey) document.execCommand('insertText', false, '\t');
        else if (e.key === 'Escape') return code.blur(); // and Tab goes on to the next button
        else return;
        e.preventDefault();
      };
      const line = document.createElement('p');
      line.className = 'go';
      line.append(button(`Run cell ${number}`, () => run([this])), state);
      section.querySelector('details').after(line);
    };
  }
});

// cannot says why a page cannot run here, or nothing.
function cannot() {
  if (location.protocol === 'file:') {
    return 'A browser runs no page that comes from a file. Serve the folder of this page, with “python3 -m http.server” in it, and open ' +
      `http://localhost:8000/${location.pathname.split('/').pop()}: it will offer to run.`;
  }
  for (const part of ['WebAssembly', 'Worker', 'DecompressionStream']) {
    if (!globalThis[part]) return `This page can run in a browser that has ${part}, and this one has not.`;
  }
  const memory = 'This page can run in the browser of a computer. It takes 1 GB of memory';
  if (matchMedia('(pointer: coarse)').matches) return `${memory}, more than a telephone gives to a page.`;
  if (navigator.deviceMemory < 4) return `${memory}, and there is too little here.`;
}

// outputs shows what a cell says below it. What was there stays until the first of it comes.
function outputs(section) {
  let old = [...section.querySelectorAll('.output')], stream;
  const places = new Map();
  for (const e of old) e.classList.add('old');
  const clear = () => { for (const e of old.splice(0)) e.remove(); };
  function place() {
    clear();
    stream = null;
    const e = document.createElement('div');
    e.className = 'output';
    section.append(e);
    return e;
  }
  const text = (kind, words) => {
    if (stream?.kind !== kind) {
      const pre = document.createElement('pre');
      pre.className = kind;
      place().append(pre);
      stream = { kind, pre, words: '' };
    }
    stream.words = (stream.words + words).replace(/[^\n]*\r(?=[^\n])/g, ''); // as a terminal does
    stream.pre.textContent = stream.words;
  };
  return {
    stream: text,
    display({ data, id }) {
      const e = places.get(id) || place();
      if (id) places.set(id, e);
      e.innerHTML = shown(data);
      dress(e);
      const slider = e.querySelector('.slide');
      if (slider) slide(slider);
    },
    end({ status, message }) {
      if (status !== 'stopped' && message) text('stderr', `${message}\n`);
      else if (status === 'ok') clear();
      for (const e of old) e.classList.remove('old');
    },
  };
}

const escaped = text => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt()};`);
const SLIDER = 'application/vnd.vegalite.v5+json';

// shown writes a display as the page has it: the best of its forms.
function shown(data) {
  const svg = data['image/svg+xml'], png = data['image/png'], html = data['text/html'], words = data['text/plain'] || '';
  if (svg || png) {
    const picture = `<img src="${svg ? `data:image/svg+xml,${encodeURIComponent(svg)}` : `data:image/png;base64,${png}`}" alt="${escaped(words)}">`;
    if (!data[SLIDER] || !window.vegaEmbed) return `<div class="figure">${picture}</div>`;
    return `<div class="slide"><div class="figure">${picture}</div><p class="still">This picture stands still: its slider has not started.</p>` +
      `<script type="application/json">${JSON.stringify(data[SLIDER]).replaceAll('<', '\\u003c')}</script></div>`;
  }
  if (data['text/markdown'] !== undefined) return `<div class="table">${markdown(data['text/markdown'])}</div>`;
  if (html !== undefined) return html && `<div class="table">${html}</div>`;
  return words && `<pre>${escaped(words)}</pre>`;
}

// markdown leaves formulas to KaTeX.
function markdown(text) {
  const formulas = [];
  const html = marked.parse(text.replace(/\$\$[^$]+\$\$|\$[^$\n]+\$/g, f => `\u0001${formulas.push(f) - 1}\u0001`));
  return html.replace(/\u0001(\d+)\u0001/g, (_, i) => escaped(formulas[i]));
}

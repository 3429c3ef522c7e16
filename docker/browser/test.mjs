// What a reader sees: `make lab` on a copy of the tracked files, in headless Chromium. `make browser` runs it.
// Screenshots of every page stay in BROWSER_OUT, or else in a new temporary folder.
// PAGES says which pages are looked at, as notebooks/quickstart.ipynb; without it all are.
// Arguments choose checks by the start of their names: node docker/browser/test.mjs 07 Stop
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const RUN = ['quickstart', 'theorem-3', 'slips']; // those under 20 s
const LIMIT = 1500; // seconds for everything
const STOP = 1007, RELOAD = 1008; // seeds of no page: the pages run before keep their runs in the same folder
const repo = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const venv = `${repo}/.venv`;
const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'fwlab-browser-'));
const copy = `${temp}/fwlab`;
const out = path.resolve(process.env.BROWSER_OUT || fs.mkdtempSync(path.join(os.tmpdir(), 'fwlab-pages-')));
const mark = `FWLAB_BROWSER_TEST=${path.basename(temp)}`; // in the environment of all that `make lab` starts
const began = Date.now();
let lab, browser, lens, address, token;
let passed = 0, failed = 0;

/* The server */

async function start() {
  const files = execFileSync('git', ['-C', repo, 'ls-files', '-z'], { encoding: 'utf8' }).split('\0');
  for (const f of files.filter(f => f && fs.existsSync(`${repo}/${f}`)))
    fs.cpSync(`${repo}/${f}`, `${copy}/${f}`);
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise(done => server.on('listening', done));
  const port = server.address().port;
  await new Promise(done => server.close(done));

  // The copy's .venv is ours, which is ready, so its `make setup` is left out (-o).
  // Trust, settings and the layout of the windows are a new reader's.
  fs.symlinkSync(venv, `${copy}/.venv`);
  const env = { ...process.env, FWLAB_BUDGET: 'short', JUPYTER_DATA_DIR: `${temp}/data`,
    JUPYTERLAB_SETTINGS_DIR: `${temp}/settings`, JUPYTERLAB_WORKSPACES_DIR: `${temp}/workspaces` };
  for (const name of ['MAKEFLAGS', 'MFLAGS', 'MAKELEVEL']) delete env[name];
  env[mark.split('=')[0]] = mark.split('=')[1];
  const log = fs.openSync(`${out}/lab.log`, 'w');
  lab = spawn('make', ['-o', 'setup', 'lab', 'LAB_ARGS=--no-browser', `PORT=${port}`],
    { cwd: copy, env, detached: true, stdio: ['ignore', log, log] });
  await until('make lab says its address', 60, () => {
    if (lab.exitCode !== null) throw new Error(`make lab ended: ${fs.readFileSync(`${out}/lab.log`, 'utf8')}`);
    [, address, token] = fs.readFileSync(`${out}/lab.log`, 'utf8').match(/(http:\/\/127\.0\.0\.1:\d+)\/\S*token=(\w+)/) || [];
    return token;
  });
  const { kernelspecs } = await (await api('kernelspecs')).json();
  const kernel = kernelspecs.gonb?.spec.argv[0];
  if (!kernel?.startsWith(`${venv}/`)) throw new Error(`the kernel gonb is ${kernel || 'missing'}, not the pinned one of ${venv}: make setup`);
}

const api = (what, method = 'GET') =>
  fetch(`${address}/api/${what}`, { method, headers: { Authorization: `token ${token}` }, signal: AbortSignal.timeout(20_000) });
const list = async what => { // the server fails where a kernel ends while it lists them
  const answer = await api(what);
  return answer.ok ? answer.json() : [];
};

// stop ends the server as a closed terminal does, and says what does not end with it.
function stop() {
  if (!lab?.pid) return [];
  try { process.kill(-lab.pid, 'SIGTERM'); } catch { /* it is over */ }
  const left = execFileSync(`${venv}/bin/python`, ['-c', `
import psutil, sys, time
name, value = sys.argv[1].split("=")
def started(p):
    try:
        return p.environ().get(name) == value
    except psutil.Error:
        return False
end = time.monotonic() + 20
while (left := list(filter(started, psutil.process_iter()))) and time.monotonic() < end:
    time.sleep(0.2)
for p in left:
    print(p.pid, *p.cmdline()[:3])
    p.kill()
`, mark], { encoding: 'utf8' }).trim();
  return left ? [`it goes on after make lab was ended, and is killed now: ${left}`] : [];
}

let ending;
const end = () => ending ??= (async () => {
  await browser?.close().catch(() => {});
  const wrong = stop();
  fs.rmSync(temp, { recursive: true, force: true, maxRetries: 3 });
  return wrong;
})();

/* Checks */

// until polls; whoever waits for a kernel learns at once that JupyterLab asks for one.
async function until(what, seconds, probe, page) {
  for (const end = Date.now() + 1000 * seconds; ;) {
    const got = await probe();
    if (got) return got;
    const dialog = page && await page.locator('.jp-Dialog-content').first().innerText({ timeout: 1 }).catch(() => '');
    if (dialog) throw new Error(`${what}: JupyterLab asks instead: ${dialog.replace(/\s+/g, ' ')}`);
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(100);
  }
}

// check opens a notebook of the copy in a page of its own, the only one with a kernel. The last kernel is left for stop.
async function check(name, notebook, body) {
  const chosen = process.argv.slice(2);
  if (chosen.length && !chosen.some(start => name.startsWith(start))) return;
  for (const session of await list('sessions')) await api(`sessions/${session.id}`, 'DELETE');
  const start = Date.now(), seconds = () => `${((Date.now() - start) / 1000).toFixed(1)} s`;
  const page = await browser.newPage({ viewport: { width: 1300, height: 4000 } });
  page.setDefaultTimeout(20_000);
  const wrong = [];
  page.on('pageerror', e => wrong.push(`the page's script: ${e.message}`));
  page.on('dialog', d => d.accept()); // "leave the page?"
  let fact = '';
  try {
    await page.goto(`${address}/lab/workspaces/${notebook}/tree/notebooks/${notebook}.ipynb?token=${token}`);
    await shown(page);
    fact = await body(page, wrong);
  } catch (e) {
    wrong.push(e.message);
  }
  if (wrong.length) {
    failed++;
    const file = `${out}/FAILED ${name}.png`;
    await page.screenshot({ path: file }).catch(() => {});
    console.log(`FAILED ${name}, ${seconds()}, ${file}\n  ${wrong.join('\n  ')}`);
  } else {
    passed++;
    console.log(`ok ${name} ${fact}, ${seconds()}`);
  }
  await page.close();
}

const shown = page => until('the notebook shows', 60, async () =>
  await page.locator('.jp-Notebook .jp-Cell').count() && !await page.locator('.jp-Spinner:visible, #jupyterlab-splash').count(), page);
const cell = (page, i) => page.locator('.jp-Notebook .jp-Cell').nth(i);
const read = name => JSON.parse(fs.readFileSync(`${copy}/notebooks/${name}.ipynb`, 'utf8')).cells
  .map(c => ({ ...c, source: [c.source].flat().join(''), outputs: c.outputs || [] }));
const VEGA = 'application/vnd.vegalite.v5+json';
const slides = c => c.outputs.map(o => o.data?.[VEGA]).filter(Boolean); // JupyterLab shows these in place of the PNG beside them
const figures = c => c.outputs.filter(o => !o.data?.[VEGA]).map(o => o.data?.['image/png']).filter(Boolean).map(s => [s].flat().join('').replace(/\s/g, ''));
const markdown = c => [c.cell_type === 'markdown' ? c.source : '', ...c.outputs.map(o => [o.data?.['text/markdown'] || ''].flat().join(''))];
const formulas = text => (text.replace(/^(```+)[^]*?^\1/gm, '').replace(/(`+)[^`][^]*?\1/g, '').match(/\$\$[^]+?\$\$|\$[^$]+?\$/g) || []).length;

// slid says what is wrong with the sliders of a cell: there are as many as in its file, and what each moves is drawn anew, without a kernel.
async function slid(at, figures) {
  const want = figures.flatMap(f => f.params || []).filter(p => p.bind?.input === 'range').length;
  const all = at.locator('.vega-embed'), ranges = at.locator('.vega-embed input[type=range]');
  await until('', 20, async () => await all.count() === figures.length && await ranges.count() === want).catch(() => {});
  if (await ranges.count() !== want) return [`${await ranges.count()} sliders, ${want} in the file`];
  const wrong = [];
  for (const one of await all.all()) {
    const picture = one.locator('canvas, svg').first();
    for (const range of await one.locator('input[type=range]').all()) {
      await range.scrollIntoViewIfNeeded();
      const before = (await picture.screenshot()).toString('base64');
      const min = await range.getAttribute('min');
      await range.fill(await range.inputValue() === min ? await range.getAttribute('max') : min);
      await until('', 5, async () => (await picture.screenshot()).toString('base64') !== before).catch(() => wrong.push('a slider that moves nothing'));
    }
  }
  return wrong;
}

// painted says what is wrong with a figure as it stands on the screen.
async function painted(img) {
  await img.scrollIntoViewIfNeeded();
  const [natural, width, height] = await img.evaluate(async e => {
    await e.decode().catch(() => {});
    return [e.naturalWidth, e.getBoundingClientRect().width, e.getBoundingClientRect().height];
  });
  if (!natural) return 'not an image';
  if (width < 100 || height < 60) return `${width} × ${height} pixels on the screen`;
  const shot = (await img.screenshot()).toString('base64');
  const [colours, ink] = await lens.evaluate(async shot => {
    const image = new Image();
    image.src = `data:image/png;base64,${shot}`;
    await image.decode();
    const c = new OffscreenCanvas(image.width, image.height).getContext('2d');
    c.drawImage(image, 0, 0);
    const count = new Map();
    for (const p of new Uint32Array(c.getImageData(0, 0, image.width, image.height).data.buffer)) count.set(p, (count.get(p) || 0) + 1);
    return [count.size, 1 - Math.max(...count.values()) / image.width / image.height];
  }, shot);
  return colours < 16 || ink < 0.01 ? `blank: ${colours} colours, ${(100 * ink).toFixed(2)} % of it is ink` : '';
}

// text counts the formulas of each cell, and says what is wrong with its text.
const text = page => page.locator('.jp-Notebook .jp-Cell').evaluateAll(cells => cells.map(cell => {
  const found = { formulas: cell.querySelectorAll('mjx-container').length, wrong: [] };
  for (const bad of cell.querySelectorAll('mjx-merror, mjx-container [mathcolor="red"], mjx-container [style*="color: red"]'))
    found.wrong.push(`a formula that MathJax does not know: ${bad.getAttribute('data-mjx-error') || bad.title || bad.closest('mjx-container').textContent}`);
  for (const formula of cell.querySelectorAll('mjx-container'))
    if (!formula.getBoundingClientRect().width) found.wrong.push('a formula without width');
  for (const md of cell.querySelectorAll('.jp-RenderedMarkdown')) {
    const plain = md.cloneNode(true);
    plain.querySelectorAll('mjx-container, code, pre').forEach(x => x.remove());
    const raw = plain.textContent.match(/.{0,20}(\$|\\[a-zA-Z]+).{0,20}/);
    if (raw) found.wrong.push(`TeX that is not typeset: ${raw[0]}`);
  }
  // Not by scrollWidth of Markdown: MathJax's hidden text for screen readers counts in it.
  for (const box of cell.querySelectorAll('.jp-RenderedMarkdown, .jp-OutputArea-output'))
    for (const e of box.querySelectorAll('table, mjx-container, img, pre')) {
      const over = Math.round(e.getBoundingClientRect().right - box.getBoundingClientRect().left - box.clientWidth);
      if (over > 1) found.wrong.push(`a ${e.localName} ${over} pixels too wide`);
    }
  for (const box of cell.querySelectorAll('.cm-scroller'))
    if (box.scrollWidth > box.clientWidth) found.wrong.push(`code ${box.scrollWidth - box.clientWidth} pixels too wide`);
  return found;
}));

async function look(page, name, wrong) {
  const cells = read(name), where = i => `${cells[i].cell_type} cell ${i + 1}`;
  const want = cells.map(c => markdown(c).map(formulas).reduce((a, b) => a + b));
  let seen = [];
  await until('', 60, async () => (seen = await text(page)).length === cells.length && seen.every((s, i) => s.formulas === want[i])).catch(() => {});
  if (seen.length !== cells.length) throw new Error(`${seen.length} cells on the page, ${cells.length} in the file`);
  const setup = cells.findIndex(c => c.cell_type === 'code'); // it is wide to be short
  for (const [i, s] of seen.entries()) {
    if (s.formulas !== want[i]) wrong.push(`${where(i)}: ${s.formulas} formulas on the page, ${want[i]} in the source`);
    if (i !== setup) wrong.push(...s.wrong.map(w => `${where(i)}: ${w}`));
  }
  let pictures = 0;
  for (const [i, c] of cells.entries()) {
    for (const png of figures(c)) {
      pictures++;
      const img = cell(page, i).locator(`.jp-OutputArea-output img[src="data:image/png;base64,${png}"]`);
      const bad = await img.count() === 1 ? await painted(img) : 'not on the page';
      if (bad) wrong.push(`${where(i)}: figure ${pictures}: ${bad}`);
    }
  }
  for (const [i, c] of cells.entries()) if (slides(c).length) {
    pictures += slides(c).length;
    wrong.push(...(await slid(cell(page, i), slides(c))).map(w => `${where(i)}: ${w}`));
  }
  const pane = page.locator('.jp-WindowedPanel-outer').first();
  for (let top = 0, n = 1, more = true; more; n++) {
    const [height, rest] = await pane.evaluate((e, top) => { // below the last cell there is empty space
      e.scrollTop = top;
      return [e.clientHeight, [...e.querySelectorAll('.jp-Cell')].at(-1).getBoundingClientRect().bottom - e.getBoundingClientRect().bottom];
    }, top);
    await page.screenshot({ path: `${out}/${name}-${String(n).padStart(2, '0')}.png` });
    top += height - 40;
    more = rest > 0;
  }
  return `${pictures} figures, ${want.reduce((a, b) => a + b)} formulas`;
}

// A cell that is run before the kernel is there is not run: JupyterLab forgets it or asks for a kernel.
const connected = page => until('the kernel is connected', 30, async () =>
  (await list('kernels')).some(k => k.connections > 0 && k.execution_state === 'idle'), page);
const prompts = page => page.locator('.jp-CodeCell .jp-InputPrompt').allTextContents();

async function runAll(page, name, wrong) {
  const code = read(name).filter(c => c.cell_type === 'code');
  await connected(page);
  await page.locator('.lm-MenuBar-itemLabel:text-is("Run")').click();
  await page.locator('.lm-Menu-itemLabel:text-is("Run All Cells")').click();
  await until('the cells start', 20, async () => (await prompts(page)).some(p => p.includes('*')), page);
  // A folded cell shows no number. An error leaves the last cell without one.
  await until('all cells have run', 240, async () => (await prompts(page)).every(p => !p.includes('*')) && /\d/.test((await prompts(page)).at(-1)), page);
  let pictures = 0;
  for (const [i, c] of code.entries()) {
    const at = page.locator('.jp-Notebook .jp-CodeCell').nth(i), where = `code cell ${i + 1}`;
    const output = kind => at.locator(`.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.${kind}"]`).allTextContents();
    wrong.push(...(await output('error')).map(e => `${where}: ${e}`),
      ...(await output('stderr')).filter(e => /^(exit status|signal: )/m.test(e)).map(e => `${where}: ${e}`));
    const imgs = at.locator('.jp-RenderedImage img, .jp-RenderedSVG img');
    const want = figures(c).length;
    await until('', 10, async () => await imgs.count() === want)
      .catch(async () => wrong.push(`${where}: ${await imgs.count()} figures after the run, ${want} before`));
    for (const img of await imgs.all()) {
      const bad = await painted(img);
      if (bad) wrong.push(`${where}: figure ${pictures + 1}: ${bad}`);
      pictures++;
    }
  }
  return `${code.length} cells, ${pictures} figures`;
}

/* Runs that are stopped, pages that are reloaded, names that are completed: notebooks of their own */

function write(name, ...sources) {
  const id = i => ({ id: `c${i}`, metadata: {} });
  const setup = read('quickstart').find(c => c.cell_type === 'code').source;
  const { metadata } = JSON.parse(fs.readFileSync(`${copy}/notebooks/quickstart.ipynb`, 'utf8'));
  const cells = [setup, ...sources].map((source, i) => ({ ...id(i), cell_type: 'code', execution_count: null, outputs: [], source }));
  fs.writeFileSync(`${copy}/notebooks/${name}.ipynb`, JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }));
}

const race = (seed, seconds) => `%%
data, _ := fwdata.Load("digits")
f, ball := data.UnitRows().Logistic(), fwset.TraceNorm{H: 10, M: 64, Tau: 50}
b := fwopt.Budget{Seconds: ${seconds}}
tr := fwnb.Run(fwopt.NewOracle(f, ball, ${seed}), fwopt.SVRFExperiments(), b)
fmt.Println("the run stands at", tr.Last().Step, tr.Last().Seconds)`;

const runs = (seed, kind) => (fs.existsSync(`${copy}/notebooks/runs`) ? fs.readdirSync(`${copy}/notebooks/runs`) : [])
  .filter(f => f.includes(`-seed${seed}-`) && f.endsWith(kind));
const begin = async (page, i) => {
  await connected(page);
  const before = (await prompts(page))[i];
  await cell(page, i).locator('.cm-content').click();
  await page.keyboard.press('Control+Enter');
  await until(`cell ${i + 1} starts`, 20, async () => (await prompts(page))[i] !== before, page);
};
const done = (page, i, seconds) => until(`cell ${i + 1} ends`, seconds, async () => /\d/.test((await prompts(page))[i]), page);
const said = (page, i, words, seconds = 10) => until(`cell ${i + 1} says ${words}`, seconds, async () =>
  (await cell(page, i).locator('.jp-OutputArea').innerText().catch(() => '')).match(words), page);
const stands = /the run stands at (\d+) ([\d.]+)/, progress = /([\d.]+) s\s+step ([\d,]+) \(t/;
const number = s => Number(s.replaceAll(',', ''));

async function stopped(page) {
  await begin(page, 0);
  await done(page, 0, 60);
  await begin(page, 1);
  await until('the run is under way', 60, async () => number((await said(page, 1, progress, 60))[1]) > 2);
  await page.locator('[data-jp-item-name="interrupt"]:visible').click();
  await done(page, 1, 10);
  const saved = number((await said(page, 1, /SVRF: interrupted after step (\d+); saved: run the cell again to go on/))[1]);
  const [, step, seconds] = await said(page, 1, stands);
  if (number(step) !== saved || seconds > 8) throw new Error(`stopped at step ${saved}, but stands at ${step} after ${seconds} s`);
  if (runs(STOP, '.ckpt').length !== 1 || runs(STOP, '.trace').length) throw new Error(`not one checkpoint in runs/: ${[...runs(STOP, ''), 'nothing']}`);
  await begin(page, 1);
  const [, first, from] = await said(page, 1, progress);
  if (number(from) < saved || Number(first) < seconds) throw new Error(`stopped at step ${saved}, ${seconds} s; then began at step ${from}, ${first} s`);
  await done(page, 1, 30);
  const [, last, total] = await said(page, 1, stands);
  if (last <= saved || total < 10 || total > 13) throw new Error(`the run ends at step ${last}, ${total} s, not after 10 s`);
  if (runs(STOP, '.ckpt').length || runs(STOP, '.trace').length !== 1) throw new Error(`not one finished run in runs/: ${runs(STOP, '')}`);
  return `at step ${saved}, on from ${from} to ${last}`;
}

async function reloaded(page) {
  await begin(page, 0);
  await done(page, 0, 60);
  await begin(page, 1);
  await said(page, 1, progress, 60);
  await page.reload();
  await shown(page);
  if (runs(RELOAD, '.trace').length) throw new Error('the run was over before the page was there again');
  const [file] = await until('the run goes on and is kept', 60, () => runs(RELOAD, '.trace').length && runs(RELOAD, '.trace'));
  const kept = fs.statSync(`${copy}/notebooks/runs/${file}`).mtimeMs;
  const start = Date.now();
  await begin(page, 1);
  await done(page, 1, 10);
  const [, step] = await said(page, 1, stands);
  const seconds = (Date.now() - start) / 1000;
  if (seconds > 5 || kept !== fs.statSync(`${copy}/notebooks/runs/${file}`).mtimeMs) throw new Error(`run again, not read back: ${seconds} s`);
  return `in the middle of 25 s, its step ${step} read back in ${seconds.toFixed(1)} s`;
}

async function completed(page) {
  await begin(page, 0);
  await done(page, 0, 60);
  const editor = cell(page, 1).locator('.cm-content'), start = Date.now();
  let tries = 0;
  await until('Tab after fwopt.New offers NewOracle', 60, async () => {
    tries++;
    await editor.click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText('%%\nfwopt.New');
    await page.keyboard.press('Tab');
    const item = page.locator('.jp-Completer-item', { hasText: 'NewOracle' });
    if (!await item.waitFor({ timeout: 3000 }).then(() => true, () => false)) {
      await page.keyboard.press('Escape');
      return false;
    }
    await item.click();
    return true;
  }, page);
  await until('the name is in the cell', 5, async () => (await editor.innerText()).includes('fwopt.NewOracle'));
  return `after ${tries} press${tries > 1 ? 'es' : ''} of Tab, ${((Date.now() - start) / 1000).toFixed(1)} s`;
}

/* All of it */

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end().then(() => process.exit(130)));
const clock = setTimeout(() => {
  console.log(`FAILED: not over within ${LIMIT} s`);
  void end().then(() => process.exit(1));
}, 1000 * LIMIT);
fs.mkdirSync(out, { recursive: true });
console.log(`screenshots in ${out}`);
try {
  const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
  if (!fs.existsSync(executablePath)) throw new Error(`${executablePath} is missing: apt install chromium, or say which: make browser CHROMIUM=/path/to/chromium`);
  await start();
  browser = await chromium.launch({ executablePath, ignoreDefaultArgs: ['--hide-scrollbars'], handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
    '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
  lens = await browser.newPage();
  const asked = process.env.PAGES || '*';
  const pages = fs.readdirSync(`${copy}/notebooks`).filter(f => f.endsWith('.ipynb') && (asked.includes('*') || asked.includes(`notebooks/${f}`)))
    .map(f => f.replace('.ipynb', ''));
  for (const name of pages) await check(name, name, (page, wrong) => look(page, name, wrong));
  for (const name of RUN) await check(`${name} run`, name, (page, wrong) => runAll(page, name, wrong));
  write('tab', '');
  write('stop', race(STOP, 10));
  write('reload', race(RELOAD, 25));
  await check('Tab', 'tab', completed);
  await check('Stop', 'stop', stopped);
  await check('reload', 'reload', reloaded);
} catch (e) {
  failed++;
  console.log(`FAILED: ${e.message}`);
}
const left = await end();
if (left.length) {
  failed++;
  console.log(`FAILED the end: ${left.join('\n  ')}`);
}
clearTimeout(clock);
console.log(`${passed} passed, ${failed} failed, ${((Date.now() - began) / 1000).toFixed(0)} s`);
process.exit(failed ? 1 : 0);

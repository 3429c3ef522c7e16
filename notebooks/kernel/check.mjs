// The kernel in headless browsers: node notebooks/kernel/check.mjs KERNEL LITE. It needs docker/browser/node_modules.
// Cells of testdata/check.txt have the bits and the figures of the same programs run here, in Chromium and in Firefox; then JupyterLite runs some.
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
const required = createRequire(new URL('../../docker/browser/', import.meta.url)), { chromium } = required('playwright-core'), WebSocket = required('ws');

const here = fileURLToPath(new URL('.', import.meta.url)), repo = path.join(here, '../..');
const types = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json', '.ipynb': 'application/json', '.css': 'text/css', '.svg': 'image/svg+xml' };
let sent = 0;
const servers = await Promise.all(process.argv.slice(2).map(async folder => { // as static hosts: no headers of their own, and ranges
  const dist = path.resolve(folder);
  const server = http.createServer((ask, answer) => {
    const name = decodeURIComponent(new URL(ask.url, 'http://x').pathname);
    const file = path.join(dist, name.endsWith('/') ? `${name}index.html` : name);
    if (!file.startsWith(dist) || !fs.existsSync(file)) return answer.writeHead(404).end();
    let body = fs.readFileSync(file), status = 200;
    const range = /bytes=(\d+)-(\d+)/.exec(ask.headers.range || '');
    if (range) { body = body.subarray(+range[1], +range[2] + 1); status = 206; }
    if (!/html|js$/.test(file)) sent += body.length;
    answer.writeHead(status, { 'Content-Type': types[path.extname(file)] || 'application/octet-stream' }).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise(done => server.on('listening', done));
  return server;
}));
const [address, liteAddress] = servers.map(s => `http://127.0.0.1:${s.address().port}/`);

let failed = 0;
const check = (ok, what, more = '') => { if (!ok) failed++; console.log(`${ok ? 'ok    ' : 'FAILED'} ${what} ${more}`); };
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'] });
const context = await browser.newContext();
const temp = fs.mkdtempSync(path.join(os.tmpdir(), 'kernel-'));

async function open() {
  const page = await context.newPage();
  page.on('pageerror', e => check(false, 'the page', e.message));
  page.on('console', m => { if (m.type() === 'error' && !/favicon|404/.test(m.text())) check(false, 'console', m.text()); });
  await page.goto(address);
  await page.evaluate(up);
  return page;
}
const up = () => new Promise(done => { const look = () => window.kernel?.index ? done() : setTimeout(look, 50); look(); });
// run presses Stop once the cell has put out what stop says, or after limit milliseconds.
const run = (page, source, stop, limit = 120e3) => page.evaluate(async ([source, stop, limit]) => {
  const out = { stdout: '', stderr: '', displays: [] };
  const timer = setTimeout(() => kernel.stop(), limit);
  const stream = (kind, text) => {
    out[kind] += text;
    if (stop && text.includes(stop)) { stop = null; setTimeout(() => kernel.stop(), 100); }
  };
  const end = await kernel.execute(source, { stream, display: d => out.displays.push(d) });
  clearTimeout(timer);
  return { ...out, ...end, pressed: stop === null };
}, [source, stop, limit]);
// told is all that a run said and displayed.
const told = r => JSON.stringify([r.stdout, r.displays.map(d => Object.entries(d.data).sort())]);
const importsOf = cell => [...cell.matchAll(/^\t"(.*)"$/gm)].map(m => m[1]);
const show = r => `compile ${r.compile?.toFixed(2)} link ${r.link?.toFixed(2)} run ${r.run?.toFixed(2)} all ${r.all?.toFixed(2)} s`;

// firefox starts that browser and gives evaluate(f, x), which calls f there; it speaks WebDriver BiDi, as Debian's Firefox does.
async function firefox(url) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'firefox-'));
  const child = spawn(process.env.FIREFOX || ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(f => fs.existsSync(f)) || 'firefox', ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = await new Promise((done, wrong) => {
    let text = '';
    child.on('error', wrong);
    child.stderr.on('data', d => { text += d; const m = /BiDi listening on (ws:\S+)/.exec(text); if (m) done(m[1]); });
    child.on('exit', () => wrong(new Error(`Firefox ended: ${text}`)));
  });
  const socket = new WebSocket(`${said}/session`), asked = new Map();
  await new Promise((done, wrong) => socket.on('open', done).on('error', wrong));
  socket.on('message', m => { const got = JSON.parse(m); asked.get(got.id)?.(got); });
  const ask = (method, params) => new Promise((done, wrong) => {
    const id = asked.size + 1;
    asked.set(id, got => got.type === 'error' ? wrong(new Error(`${method}: ${got.message}`)) : done(got.result));
    socket.send(JSON.stringify({ id, method, params }));
  });
  await ask('session.new', { capabilities: {} });
  const context = (await ask('browsingContext.getTree', {})).contexts[0].context;
  await ask('browsingContext.navigate', { context, url, wait: 'complete' });
  return {
    async evaluate(f, x = null) {
      const got = await ask('script.callFunction', { functionDeclaration: `async x => JSON.stringify(await (${f})(JSON.parse(x)) ?? null)`,
        arguments: [{ type: 'string', value: JSON.stringify(x) }], target: { context }, awaitPromise: true });
      if (got.type !== 'success') throw new Error(got.exceptionDetails.text);
      return JSON.parse(got.result.value);
    },
    async close() {
      socket.close();
      child.kill();
      await new Promise(done => child.exitCode === null && child.signalCode === null ? child.on('exit', done) : done());
      fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openFox() {
  const fox = await firefox(address);
  await fox.evaluate(up);
  return fox;
}

const text = lines => [].concat(lines ?? []).join(''); // notebooks hold lists of lines
const contents = path.join(process.argv[3], 'files'); // what JupyterLite has
const live = fs.readFileSync(path.join(repo, 'notebooks/live.txt'), 'utf8').split('\n').filter(Boolean);
const codeOf = (name, folder) => JSON.parse(fs.readFileSync(path.join(folder, `${name}.ipynb`))).cells.filter(c => c.cell_type === 'code');

// native runs a page in a clone of the last commit, by the kernel of .venv, and returns what its cells put out.
function native(name) {
  const clone = `${temp}/clone`;
  if (!fs.existsSync(clone)) {
    execFileSync('git', ['clone', '-q', repo, clone]);
    fs.symlinkSync(path.join(repo, '.venv'), `${clone}/.venv`);
  }
  const code = 'import pathlib, sys, nbformat\nsys.path.insert(0, "docker")\nimport run_notebooks\np = pathlib.Path(sys.argv[1])\nnb = nbformat.read(p, 4)\nwrong = run_notebooks.execute(nb, p.parent, 900) + list(run_notebooks.faults(nb))\nif wrong:\n    sys.exit(str(wrong))\nnbformat.write(nb, p)';
  execFileSync(`${clone}/.venv/bin/python`, ['-c', code, `notebooks/${name}.ipynb`], { cwd: clone, env: { ...process.env, FWLAB_BUDGET: 'short', FWLAB_DATA: '', GOCACHE: execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim(), XDG_CACHE_HOME: `${temp}/cache`, JUPYTER_PATH: `${clone}/.venv/share/jupyter` }, stdio: ['ignore', 'ignore', 'inherit'] });
  return codeOf(name, `${clone}/notebooks`).map(({ outputs }) => ({ stdout: outputs.filter(o => o.name === 'stdout').map(o => text(o.text)).join(''), displays: outputs.filter(o => o.data) }));
}

// result is what of a cell's output stays: of a progress the last, which is empty, and of what is drawn the numbers and the SVG.
const result = r => JSON.stringify([r.stdout.trim(), r.displays.filter((d, i, all) => !d.id || !all.slice(i + 1).some(e => e.id === d.id)).map(({ data }) => ['text/markdown', 'text/plain', 'image/svg+xml'].map(k => text(data[k]).trim()).filter(Boolean)).filter(d => d.length)]);

// whole runs all cells of a page here and in Chromium, a live one in Firefox, too: none fails, and what is put out differs where it has seconds alone.
async function whole(name) {
  const cells = codeOf(name, contents).map(c => text(c.source));
  const files = fs.readdirSync(contents, { recursive: true }).filter(f => !f.endsWith('.ipynb') && fs.statSync(path.join(contents, f)).isFile());
  const want = native(name).map(result), timed = want.map(text => /second|\bms\b|µs|\d ?s\b/.test(text));
  for (const [who, begin] of [['Chromium', open], ...live.includes(name) ? [['Firefox', openFox]] : []]) {
    const page = await begin(), began = Date.now(), other = [];
    try {
      await page.evaluate(list => kernel.load(list), importsOf(cells[0]));
      for (const f of files) await page.evaluate(([f, text]) => kernel.files.put(`/home/${f}`, Uint8Array.from(atob(text), c => c.charCodeAt(0))), [f, fs.readFileSync(path.join(contents, f), 'base64')]);
      for (const [i, source] of cells.entries()) {
        const r = await run(page, source, undefined, Math.max(0, began + 480e3 - Date.now())), got = result(r);
        if (r.status !== 'ok') check(false, `${name} in ${who}: cell ${i + 1}`, r.message || r.stderr);
        if (r.status === 'stopped') break;
        if (r.status === 'ok' && !timed[i] && got !== want[i]) {
          let k = 0;
          while (got[k] === want[i][k]) k++;
          other.push(`cell ${i + 1}: ${[got, want[i]].map(s => s.slice(Math.max(0, k - 60), k + 140)).join(' and ')}`);
        }
      }
    } finally {
      await page.close();
    }
    const seconds = Math.round((Date.now() - began) / 1e3);
    check(!other.length && seconds < 480, `${name} in ${who} as here, in 480 s`, `${seconds} s, ${cells.length} cells, ${timed.filter(Boolean).length} with seconds; ${other.join('; ')}`);
  }
}

// begin runs a notebook's first cell to run: a key that comes before the notebook is ready is lost.
async function begin(page, cell) {
  for (let k = 0; k < 10; k++) {
    await cell.click();
    await page.keyboard.press('Control+Enter');
    if (await cell.locator('.jp-InputPrompt', { hasText: /[*\d]/ }).waitFor({ timeout: 3000 }).then(() => true, () => false)) return;
  }
}

// lite opens the first live page in JupyterLite, runs its imports, and does what a reader may do.
async function lite() {
  const page = await (await browser.newContext({ viewport: { width: 1300, height: 1000 } })).newPage();
  page.setDefaultTimeout(60e3);
  await page.goto(`${liteAddress}lab/index.html?path=${live[0]}.ipynb`);
  const code = page.locator('.jp-Notebook .jp-CodeCell'), shown = page.locator('.jp-Cell.jp-mod-active .jp-OutputArea-output');
  const idle = async () => {
    await page.waitForFunction(() => /\d/.test(document.querySelector('.jp-Cell.jp-mod-active .jp-InputPrompt')?.innerText), null, { timeout: 180e3 });
    return (await shown.allInnerTexts()).join('');
  };
  // cell adds a cell below with that text, and runs it.
  const cell = async text => {
    for (const key of ['Escape', 'b', 'Enter']) await page.keyboard.press(key);
    await page.keyboard.insertText(text);
    await page.keyboard.press('Control+Enter');
  };
  await begin(page, code.first());
  await idle();
  await cell('import "github.com/projection-free/fwlab/fwopt/fwplot"\n%%\nfwplot.Show(fwplot.Lines("a line", "x", "y", false, false,\n' +
    'fwplot.Series{Name: "own", X: []float64{1, 2}, Y: []float64{1, 4}}))');
  await idle();
  check(await page.locator('.jp-Cell.jp-mod-active .jp-OutputArea-output img, .jp-Cell.jp-mod-active .jp-OutputArea-output svg').count(), 'JupyterLite: a figure');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.locator('[title="Upload Files"]').click()]);
  await chooser.setFiles({ name: 'mine.svm', mimeType: 'text/plain', buffer: Buffer.from('+1 1:0.5 3:2\n-1 2:1\n') });
  const listed = name => page.locator('.jp-DirListing-itemText', { hasText: name }).waitFor();
  await listed('mine.svm');
  await code.first().click();
  await cell('import "github.com/projection-free/fwlab/fwopt/fwdata"\n%%\nf, _ := os.Open("mine.svm")\ns, err := fwdata.Read(f, "mine")\n' +
    'fmt.Println(s, err)\nos.WriteFile("out.csv", []byte("a"), 0o666)');
  let said = await idle();
  check(/n = 2, m = 3, h = 2.* <nil>/.test(said), 'JupyterLite: a file of a reader’s own', said);
  await listed('out.csv');
  await cell('%%\nb, err := os.ReadFile("races/muon.csv")\nfmt.Println(len(b), err)');
  said = await idle();
  check(said.trim() === `${fs.statSync(path.join(repo, 'notebooks/races/muon.csv')).size} <nil>`, 'JupyterLite: a file of the repository', said);
  await cell('%%\nfmt.Println("begun")\nfor {\n}');
  await shown.filter({ hasText: 'begun' }).waitFor();
  for (const key of ['Escape', 'i', 'i']) await page.keyboard.press(key);
  said = await idle();
  check(/begun\s*stopped/.test(said), 'JupyterLite: Stop', JSON.stringify(said));
  await cell('%%\nfmt.Println(nothing)');
  said = await idle();
  check(/Line 2: undefined: nothing/.test(said), 'JupyterLite: does not compile', JSON.stringify(said));
  // the last cell of a problem set looks at the file of the sheet
  const sheet = await (await browser.newContext({ viewport: { width: 1300, height: 1000 } })).newPage(), last = sheet.locator('.jp-Notebook .jp-CodeCell').last();
  await sheet.goto(`${liteAddress}lab/index.html?path=problem%20sets/ps0.ipynb`);
  await sheet.locator('.jp-Notebook .jp-CodeCell').first().click();
  for (let k = 0; k < 6; k++) { // cells are made as they come into sight
    await sheet.locator('.jp-WindowedPanel-outer').evaluate(e => { e.scrollTop = e.scrollHeight; });
    await sheet.waitForTimeout(500);
  }
  await begin(sheet, last);
  const graded = last.locator('.jp-OutputArea-output', { hasText: 'as it was saved at' });
  await graded.waitFor({ timeout: 120e3 });
  said = (await graded.allInnerTexts()).join('');
  check(/is as it was handed out[^]*compile by themselves/.test(said), 'JupyterLite: the last cell of a problem set', JSON.stringify(said));
}

try {
  let page = await open();
  const cells = fs.readFileSync(path.join(here, 'testdata/check.txt'), 'utf8').split('\n----\n');
  const imports = importsOf(cells[0]);
  for (const [what, list] of [['no figures', imports.filter(i => !/plot/.test(i))], ['with figures', imports]])
    console.log(`       ${what}: ${((await page.evaluate(l => kernel.sizes(l), list)) / 1e6).toFixed(1)} MB over the wire`);
  let began = Date.now();
  await page.evaluate(l => kernel.load(l), imports);
  console.log(`       loaded in ${(Date.now() - began) / 1e3} s, ${(sent / 1e6).toFixed(1)} MB sent`);

  const inChromium = [];
  for (const [i, cell] of cells.entries()) {
    const r = await run(page, cell);
    inChromium.push(told(r));
    check(r.status === 'ok', `cell ${i + 1}`, r.message || show(r));
    if (!/^%%/m.test(cell)) continue;
    const program = (await page.evaluate(s => kernel.ask('compose', { id: 99, source: s }), cell)).text;
    fs.writeFileSync(`${temp}/main.go`, program);
    fs.writeFileSync(`${temp}/pipe`, '');
    fs.writeFileSync(`${temp}/back`, '');
    const said = execFileSync('go', ['run', `${temp}/main.go`], { cwd: repo, encoding: 'utf8',
      env: { ...process.env, FWLAB_BUDGET: 'short', ...(r.displays.length ? { GONB_PIPE: `${temp}/pipe`, GONB_PIPE_BACK: `${temp}/back` } : {}) } });
    check(said === r.stdout, 'the same bits as here', JSON.stringify(said));
    if (!r.displays.length) continue;
    const native = await page.evaluate(async bytes => {
      const all = [];
      kernel.on = { display: d => all.push(d) };
      await kernel.ask('pipe');
      await kernel.ask('feed', { bytes: new Uint8Array(bytes) });
      return all;
    }, [...fs.readFileSync(`${temp}/pipe`)]);
    const same = (a, b) => JSON.stringify(Object.entries(a.data).sort()) === JSON.stringify(Object.entries(b.data).sort());
    check(native.length === r.displays.length && native.every((d, k) => same(d, r.displays[k])), 'the same figure as here',
      r.displays.map(d => Object.keys(d.data)).join());
  }
  check(inChromium.at(-1).includes('vegalite') && inChromium.at(-1).includes('svg'), 'a figure that moves');
  let r = await run(page, cells[2].replace('200', '100'));
  check(r.status === 'ok', 'an edited cell', r.message || show(r));

  /* Bad input */
  r = await run(page, '%%\nfmt.Println(nothing)');
  check(/^Cell\[\d+\]: Line 2: undefined: nothing/.test(r.message), 'does not compile', JSON.stringify(r.message));
  r = await run(page, '%%\nfmt.Println("begun")\nfor {\n}', 'begun');
  check(r.status === 'stopped' && r.pressed, 'runs for ever');
  r = await run(page, '%%\nfor {\n\tfmt.Println("again")\n}', 'left out');
  check(r.status === 'stopped' && r.stdout.length < 2e6 && /left out/.test(r.stderr), 'prints without end', r.stderr.trim());
  r = await run(page, '%%\nvar x []int\nfmt.Println(x[3])');
  check(r.status === 'error' && /Cell \[\d+\] Line 3/.test(r.stderr), 'panics', r.stderr.split('\n').find(l => /Line/.test(l)) || r.stderr);
  r = await run(page, '%%\nvar all [][]byte\nfor {\n\tb := make([]byte, 1<<26)\n\tfor i := range b {\n\t\tb[i] = 1\n\t}\n\tall = append(all, b)\n}\n_ = all');
  check(r.status === 'error' && /out of memory/.test(r.stderr), 'allocates without end', `${r.status} ${r.message} ${r.stderr.split('\n')[0]}`);
  r = await run(page, '%%\nos.WriteFile(os.Getenv("GONB_PIPE"), []byte("\\x05 no gob"), 0o600)\nfmt.Println("on")');
  check(r.status === 'ok' && r.stdout === 'on\n', 'rubbish where figures go', `${r.status} ${JSON.stringify(r.stdout)}`);
  r = await run(page, 'import "example.com/none"\n%%\nnone.X()');
  check(/package example.com\/none is not here/.test(r.message), 'a package that is not here', r.message);
  r = await run(page, '!ls\n%%\nos.WriteFile("kept.txt", []byte("kept"), 0o644)\nfmt.Println("written")\nfor {\n}', 'written');
  check(r.status === 'stopped' && r.pressed && /no shell here/.test(r.stderr), 'a shell line, and Stop');
  r = await run(page, '%%\nb, err := os.ReadFile("kept.txt")\nfmt.Println(string(b), err)');
  check(r.stdout === 'kept <nil>\n', 'a file written before Stop', r.stdout);
  r = await run(page, '%test\nfunc TestSum(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Fatal("sum")\n\t}\n}');
  check(r.status === 'ok' && /PASS: TestSum/.test(r.stdout), '%test', r.message || JSON.stringify(r.stdout));
  r = await run(page, '%args -n 3\nvar n = flag.Int("n", 0, "")\nfunc main() {\n\tflag.Parse()\n\tfmt.Println(*n)\n}');
  check(r.stdout === '3\n', '%args', r.message || r.stdout);

  r = await page.evaluate(async () => { // edited while it runs: the second waits, and Stop ends the first alone
    const on = text => ({ stream: (_, said) => { if (said.includes(text)) setTimeout(() => kernel.stop(), 100); }, display: () => {} });
    const first = kernel.execute('%%\nfmt.Println("begun")\nfor {\n}', on('begun')), second = kernel.execute('%%\nfmt.Println("second")', on('never'));
    return [(await first).status, (await second).status].join();
  });
  check(r === 'stopped,ok', 'run again while it runs', r);

  /* A second visit, in a second tab, and a reload in the middle */
  page.evaluate(() => kernel.execute('%%\nfor {\n}', { stream: () => {}, display: () => {} })).catch(() => {});
  await page.reload();
  await page.close();
  sent = 0;
  page = await open();
  began = Date.now();
  await page.evaluate(l => kernel.load(l), imports);
  console.log(`       second visit: loaded in ${(Date.now() - began) / 1e3} s, ${(sent / 1e6).toFixed(1)} MB sent`);
  r = await run(page, '%%\nfmt.Println("again")');
  check(r.stdout === 'again\n' && sent < 1e6, 'a second visit downloads the index only', show(r));
  r = await run(page, '%%\nb, err := os.ReadFile("kept.txt")\nfmt.Println(string(b), err)');
  check(r.stdout === 'kept <nil>\n', 'a file of an earlier visit', r.message || r.stdout);
  await page.close();

  const fox = await openFox();
  try {
    await fox.evaluate(l => kernel.load(l), imports);
    for (const [i, cell] of cells.entries()) {
      const r = await run(fox, cell);
      check(told(r) === inChromium[i] && r.status === 'ok',
        `Firefox: cell ${i + 1} as in Chromium`, r.message || show(r));
    }
  } finally {
    await fox.close();
  }
  await lite();
  for (const name of (process.env.WHOLE || live.at(-2)).split(/[\s,]+/)) await whole(name).catch(e => check(false, name, e.stack));
} catch (e) {
  check(false, 'the check', e.stack);
} finally {
  await browser.close();
  for (const s of servers) s.close();
  fs.rmSync(temp, { recursive: true });
}
process.exit(failed ? 1 : 0);

// What a reader of the site sees, in headless Chromium: `make site-check` runs it on _site.
// Screenshots of every page, wide and as on a telephone, stay in BROWSER_OUT, or else in a new temporary folder.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const site = fileURLToPath(new URL('../../_site', import.meta.url));
const out = path.resolve(process.env.BROWSER_OUT || fs.mkdtempSync(path.join(os.tmpdir(), 'fwlab-site-')));
const types = { '.html': 'text/html; charset=utf-8', '.css': 'text/css', '.js': 'text/javascript', '.wasm': 'application/wasm',
  '.png': 'image/png', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };
const server = http.createServer((ask, answer) => {
  const file = path.join(site, decodeURIComponent(new URL(ask.url, 'http://x').pathname));
  if (!file.startsWith(site) || !fs.existsSync(file) || !fs.statSync(file).isFile()) { answer.writeHead(404).end(); return; }
  answer.writeHead(200, { 'Content-Type': types[path.extname(file)] || 'application/octet-stream' });
  fs.createReadStream(file).pipe(answer);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}`;
const executablePath = process.env.CHROMIUM || '/usr/bin/chromium';
if (!fs.existsSync(executablePath)) throw new Error(`${executablePath} is missing: apt install chromium, or say which: make site-check CHROMIUM=/path/to/chromium`);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'] });
const faults = [];
let passed = 0;

async function visit(name, view, look, before) {
  const context = await browser.newContext(view);
  const page = await context.newPage();
  const found = [];
  const expected = view.expected || /^$/;
  page.on('console', m => { if (m.type() === 'error' && !expected.test(m.text())) found.push(`console: ${m.text()}`); });
  page.on('pageerror', e => found.push(`error: ${e.message}`));
  page.on('request', r => { if (!/^(data|blob):/.test(r.url()) && !r.url().startsWith(address)) found.push(`asks for ${r.url()}`); });
  try {
    if (before) await page.addInitScript(before);
    await page.goto(`${address}/${name}`, { waitUntil: 'load' });
    await look(page, found);
  } catch (e) {
    found.push(e.message.split('\n')[0]);
  }
  await context.close();
  if (found.length) faults.push(...found.map(f => `${name}, ${view.viewport.width} wide: ${f}`));
  else passed++;
}

const wide = { viewport: { width: 1280, height: 900 } };
const narrow = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true };
const shot = (page, name, kind) => page.screenshot({ path: `${out}/${name.replace('.html', '')}-${kind}.png`, fullPage: true });

// whole looks at what every page must have.
async function whole(page, found) {
  await page.evaluate(() => { for (const i of document.images) i.loading = 'eager'; });
  await page.waitForFunction(() => [...document.images].every(i => i.complete), null, { timeout: 20_000 });
  const saw = await page.evaluate(() => ({
    blank: [...document.images].filter(i => !i.naturalWidth).map(i => i.src),
    mute: [...document.querySelectorAll('.figure img')].filter(i => !i.alt).map(i => i.src),
    formulas: [...document.querySelectorAll('.katex-error')].map(e => e.title),
    raw: (document.querySelector('main').innerText.match(/\$\$|\\(frac|epsilon|nabla|Omega)/g) || []).length,
    over: document.documentElement.scrollWidth - innerWidth,
    heads: document.querySelectorAll('h1').length,
  }));
  for (const b of saw.blank) found.push(`not painted: ${b}`);
  for (const b of saw.mute) found.push(`no alternative text: ${b}`);
  for (const f of saw.formulas) found.push(`formula: ${f}`);
  if (saw.raw) found.push(`${saw.raw} formulas are still TeX`);
  if (saw.over > 1) found.push(`${saw.over} pixels wider than the window`);
  if (saw.heads !== 1) found.push(`${saw.heads} titles`);
}

const only = process.argv.slice(2);
const pages = fs.readdirSync(site).filter(f => f.endsWith('.html') && (!only.length || only.some(o => f.startsWith(o))));
for (const name of pages) {
  await visit(name, wide, async (page, found) => { await whole(page, found); await shot(page, name, 'wide'); });
  await visit(name, narrow, async (page, found) => { await whole(page, found); await shot(page, name, 'narrow'); });
}
if (!only.length || only.includes('live')) {
  await visit('live.html', wide, async (page, found) => {
    const race = async gap => {
      await page.selectOption('[name=gap]', gap);
      await page.click('#go');
      await page.waitForFunction(() => /^Done/.test(document.getElementById('said').textContent), null, { timeout: 120_000 });
      return page.$$eval('#counts tbody tr', rows => rows.map(r => [...r.cells].map(c => c.textContent)));
    };
    await page.waitForFunction(() => !document.getElementById('go').disabled, null, { timeout: 60_000 });
    const easy = await race('1'), hard = await race('0.1');
    const terms = (rows, method) => Number(rows.find(r => r[0] === method)[2].replaceAll(',', ''));
    for (const r of [...easy, ...hard]) if (r[5] !== 'there' && r[0] !== 'SFW') found.push(`${r[0]} is ${r[5]}`);
    if (easy.length !== 4) found.push(`${easy.length} methods ran`);
    if (terms(hard, 'FW') <= terms(easy, 'FW')) found.push('a smaller target costs FW no more');
    if (terms(hard, 'SVRF') >= terms(hard, 'FW')) found.push('SVRF does not part from FW');
    if (await page.locator('#chart polyline').count() !== 4) found.push('the chart has not four lines');
    await shot(page, 'live', 'raced');
    await page.setInputFiles('[name=file]', { name: 'bad.svm', mimeType: 'text/plain', buffer: Buffer.from('1 1:x\n') });
    await page.waitForFunction(() => /bad\.svm/.test(document.getElementById('said').textContent), null, { timeout: 60_000 });
    const file = Array.from({ length: 60 }, (_, i) => `${i % 3} ${1 + i % 3}:1 ${4 + i % 5}:0.${i % 10}`).join('\n');
    await page.setInputFiles('[name=file]', { name: 'mine.svm', mimeType: 'text/plain', buffer: Buffer.from(file) });
    await page.waitForFunction(() => /mine.*n = 60/.test(document.getElementById('said').textContent), null, { timeout: 60_000 });
    await race('0.1');
  });
  // A browser without WebAssembly, and a solver that is not there.
  await visit('live.html', wide, async (page, found) => {
    if (!/WebAssembly/.test(await page.textContent('#said'))) found.push('without WebAssembly it does not say so');
  }, () => { delete globalThis.WebAssembly; });
  await visit('live.html', { ...wide, expected: /404/ }, async page => {
    await page.route('**/live.wasm', r => r.fulfill({ status: 404 }));
    await page.reload();
    await page.waitForFunction(() => /404/.test(document.getElementById('said').textContent), null, { timeout: 20_000 });
  });
}
await browser.close();
server.close();
for (const f of faults) console.log(`FAILED  ${f}`);
console.log(`${passed} visits of ${pages.length} pages as they should be, ${faults.length} faults; screenshots in ${out}`);
process.exitCode = faults.length ? 1 : 0;

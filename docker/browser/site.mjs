// What a reader of the site sees, in headless Chromium: `make site-check` runs it on _site.
// PAGES says which notebooks' pages it visits, as notebooks/quickstart.ipynb; without it all, and those of no notebook always.
// Screenshots of every page, wide and as on a telephone, stay in BROWSER_OUT, or else in a new temporary folder.
import { execFileSync } from 'node:child_process';
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
const base = '/fwlab/'; // as it is published: build.py's BASE
const server = http.createServer((ask, answer) => {
  const asked = decodeURIComponent(new URL(ask.url, 'http://x').pathname);
  let file = path.join(site, asked.slice(base.length));
  const there = asked.startsWith(base) && file.startsWith(site) && fs.existsSync(file) && fs.statSync(file).isFile();
  if (!there) file = path.join(site, '404.html'); // as GitHub does
  answer.writeHead(there ? 200 : 404, { 'Content-Type': types[path.extname(file)] || 'application/octet-stream' });
  fs.createReadStream(file).pipe(answer);
});
await new Promise(done => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}${base.slice(0, -1)}`;
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
  const expected = view.expected || /^$/, at = view.at || address;
  page.on('console', m => { if (m.type() === 'error' && !expected.test(m.text())) found.push(`console: ${m.text()}`); });
  page.on('pageerror', e => { if (!expected.test(e.message)) found.push(`error: ${e.message}`); });
  page.on('request', r => { if (!/^(data|blob):/.test(r.url()) && !r.url().startsWith(at)) found.push(`asks for ${r.url()}`); });
  try {
    if (before) await page.addInitScript(before);
    await page.goto(`${at}/${name}`, { waitUntil: 'load' });
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
  await page.waitForFunction(() => !document.querySelector('.still'), null, { timeout: 10_000 }).catch(() => {});
  const saw = await page.evaluate(() => ({
    blank: [...document.images].filter(i => !i.naturalWidth).map(i => i.src),
    mute: [...document.querySelectorAll('.figure img')].filter(i => !i.alt).map(i => i.src),
    formulas: [...document.querySelectorAll('.katex-error')].map(e => e.title),
    raw: (document.querySelector('main').innerText.match(/\$\$|\\(frac|epsilon|nabla|Omega)/g) || []).length,
    over: document.documentElement.scrollWidth - innerWidth,
    heads: document.querySelectorAll('h1').length,
    dead: document.querySelectorAll('.still').length,
    off: getComputedStyle(document.querySelector('.scripts')).display !== 'none',
    title: document.title,
    about: document.querySelector('[name=description]')?.content || '',
    menu: [...document.querySelectorAll('.menu nav a')].map(a => a.textContent),
    heads2: document.querySelectorAll('main h2').length,
    contents: document.querySelectorAll('.contents a').length,
    beside: (() => { // the contents: open and to the left of the text, or folded above it
      const [nav, main] = ['.contents nav', 'main'].map(e => document.querySelector(e)?.getBoundingClientRect());
      return !nav || (innerWidth >= 1200 ? nav.width > 100 && nav.right <= main.left : !document.querySelector('.contents').open);
    })(),
  }));
  if (/[$\\]/.test(saw.title + saw.menu)) found.push(`TeX in the title or the menu: ${saw.title}`);
  if (!saw.about && !page.url().includes('no')) found.push('no description');
  if (saw.menu.length < 10 || saw.menu.some(m => /^[a-z0-9-]+$/.test(m) && !/ /.test(m))) found.push(`the menu has ${saw.menu.length} titles, and file names in it`);
  if (saw.heads2 > 1 && saw.contents !== saw.heads2) found.push(`${saw.contents} of ${saw.heads2} headings are in the contents`);
  if (!saw.beside) found.push('the contents are not beside the text, or not folded above it');
  const sides = await page.$$eval('.table:has(td), .text > table', boxes => boxes.filter(b => b.clientWidth).map(b => {
    const wide = b.scrollWidth > b.clientWidth + 1;
    b.scrollLeft = b.scrollWidth;
    const off = Math.max(...[...b.querySelectorAll('tr')].map(r => Math.abs(r.cells[0].getBoundingClientRect().left - b.getBoundingClientRect().left)));
    const through = getComputedStyle(b.querySelector('td')).backgroundColor === 'rgba(0, 0, 0, 0)';
    b.scrollLeft = 0;
    const lines = Math.max(...[...b.querySelectorAll('tr')].map(r => r.offsetHeight)) / parseFloat(getComputedStyle(b.querySelector('td')).lineHeight);
    return { words: b.innerText.slice(0, 30), wide, off, through, lines, more: b.classList.contains('more') };
  }));
  for (const s of sides) {
    if (s.wide !== s.more) found.push(`the table "${s.words}" is ${s.wide ? '' : 'not '}wider than its place, and ${s.more ? 'says' : 'does not say'} so`);
    if (s.lines > 15) found.push(`a row of the table "${s.words}" has ${Math.round(s.lines)} lines`);
    if (s.wide && (s.off > 1 || s.through)) found.push(`the first column of "${s.words}" does not stay`);
  }
  const tight = await page.$$eval('.text p .mfrac', all => all.filter(f => !f.closest('.katex-display') && getComputedStyle(f.closest('.katex > .katex-html > *')).paddingTop === '0px').length);
  const low = await page.evaluate(() => {
    const e = innerWidth > 1000 && document.querySelector('.opens img, .slide, .figure img, #chart');
    return e && Math.round(e.getBoundingClientRect().bottom + scrollY);
  });
  if (low > 900) found.push(`the first figure ends at ${low}`);
  if (tight) found.push(`${tight} fractions touch the lines above and below`);
  // What touches a formula in the text, as a comma, is in the formula's line beside it.
  const apart = await page.$$eval('main :not(.katex-display) > .katex', all => all.flatMap(f => {
    const parts = f.querySelectorAll('.katex-html > :not(wbr)');
    if (!parts.length || !parts[0].getClientRects().length) return [];
    const beside = (node, from) => { // the box of the letter before or after, if no space is between
      const r = document.createRange();
      r.setStart(node, from);
      r.setEnd(node, from + 1);
      return /\S/.test(r.toString()) && r.getBoundingClientRect();
    };
    const text = (from, to) => { const n = f[to] || f.parentNode[to]; return n?.nodeType === Node.TEXT_NODE && n.length ? beside(n, from(n)) : null; };
    const before = text(n => n.length - 1, 'previousSibling'), after = text(() => 0, 'nextSibling');
    const torn = before && before.left > parts[0].getBoundingClientRect().left || after && after.left < [...parts].at(-1).getBoundingClientRect().left;
    return torn ? [f.closest('p, li, td, th, h1, h2, h3, section').textContent.slice(0, 40)] : [];
  }));
  for (const a of apart) found.push(`a formula is parted from what touches it in "${a}"`);
  const links = await page.$$eval('a.figure', all => all.map(a => a.pathname));
  const kind = await page.evaluate(() => matchMedia('(pointer: coarse)').matches) ? '.png' : '.svg';
  for (const l of links) if (!l.endsWith(kind)) found.push(`${l} is no ${kind}`);
  for (const b of saw.blank) found.push(`not painted: ${b}`);
  for (const b of saw.mute) found.push(`no alternative text: ${b}`);
  for (const f of saw.formulas) found.push(`formula: ${f}`);
  if (saw.raw) found.push(`${saw.raw} formulas are still TeX`);
  if (saw.over > 1) found.push(`${saw.over} pixels wider than the window`);
  if (saw.off) found.push('says that scripts do not run');
  if (saw.dead) found.push(`${saw.dead} sliders have not started`);
  if (saw.heads !== 1) found.push(`${saw.heads} titles`);
}

// slid moves each slider and choice of a page: its picture must change.
async function slid(page, found) {
  const changed = (svg, before) => page.waitForFunction(([e, b]) => e.outerHTML !== b, [svg, before], { timeout: 5000 });
  for (const live of await page.$$('.vega-embed')) {
    const svg = await live.$('svg'), inputs = await live.$$('.vega-bind :is(input, select)');
    if (!inputs.length) found.push('a picture that should slide has nothing to move');
    for (const input of inputs) {
      const before = await svg.evaluate(e => e.outerHTML), name = await input.getAttribute('name');
      await input.evaluate(e => { // to its other end
        if (e.localName === 'select') e.selectedIndex = e.selectedIndex ? 0 : e.length - 1;
        else e.value = e.value === e.min ? e.max : e.min;
        e.dispatchEvent(new Event(e.localName === 'select' ? 'change' : 'input'));
      });
      await changed(svg, before).catch(() => found.push(`the slider ${name} moves nothing`));
    }
  }
}

const only = process.argv.slice(2);
const started = Date.now();
const asked = process.env.PAGES || '*', notebook = f => `notebooks/${f.replace('.html', '.ipynb')}`;
const moved = f => fs.readFileSync(`${site}/${f}`, 'utf8').includes('http-equiv="refresh"'); // to where a page is now
const pages = fs.readdirSync(site).filter(f => f.endsWith('.html') && !moved(f) && (!only.length || only.some(o => f.startsWith(o))) &&
  (asked.includes('*') || asked.includes(notebook(f)) || !fs.existsSync(new URL(`../../${notebook(f)}`, import.meta.url))));
for (const name of pages) {
  await Promise.all([visit(name, wide, async (page, found) => { await whole(page, found); await shot(page, name, 'wide'); await slid(page, found); }),
    visit(name, narrow, async (page, found) => { await whole(page, found); await shot(page, name, 'narrow'); })]);
}
// Where a slider cannot start there is its still picture and a line about it: a script that is not there, one that fails, none.
// So it is with formulas.
const still = words => async (page, found) => {
  for (const e of await page.locator('.slide').all()) {
    if (!await e.locator('img').isVisible() || !words.test(await e.locator('.still').innerText({ timeout: 5000 }))) found.push('no still picture with its reason');
  }
};
const slides = pages.filter(p => fs.readFileSync(`${site}/${p}`, 'utf8').includes('class="slide"'));
if (!only.length && asked.includes('*') && !slides.length) faults.push('no page has a slider');
for (const name of slides) {
  await visit(name, { ...wide, expected: /404/ }, async (page, found) => {
    for (const script of ['slide', 'katex.min']) await page.route(`**/${script}.js`, r => r.fulfill({ status: 404 }));
    await page.reload();
    await still(/has not started/)(page, found);
    if (!await page.locator('.scripts').isVisible()) found.push('does not say that scripts do not run');
  });
  await visit(name, wide, async (page, found) => {
    await page.route(`**/${name}`, async r => r.fulfill({ body: (await (await r.fetch()).text()).replaceAll('"mark"', '"nothing"'), contentType: 'text/html' }));
    await page.reload();
    await page.waitForTimeout(500);
    await still(/has not started\. \S/)(page, found);
  });
  await visit(name, { ...wide, javaScriptEnabled: false }, async (page, found) => {
    await still(/has not started/)(page, found);
    if (!await page.locator('.scripts').isVisible()) found.push('does not say that scripts do not run');
  });
}
// The slides of a lesson, from a disk: one for the title, and at least one for each figure, on as many pages of paper.
if (!only.length || only.includes('slides')) {
  const root = fileURLToPath(new URL('../..', import.meta.url)), name = 'lesson-4-snapshot';
  execFileSync(`${root}.venv/bin/python`, ['-B', `${root}notebooks/site/slides.py`, `${out}/slides`, name]);
  const figures = JSON.parse(fs.readFileSync(`${root}notebooks/${name}.ipynb`)).cells.flatMap(c => c.outputs || []).filter(o => o.data?.['image/png']).length;
  await visit(`${name}.html`, { viewport: { width: 1280, height: 720 }, at: `file://${out}/slides` }, async (page, found) => {
    const seen = () => page.$$eval('section', all => all.map((s, i) => s.checkVisibility() ? i : -1).filter(i => i >= 0).join());
    const all = await page.locator('section').count();
    if (all <= figures) found.push(`${all} slides for ${figures} figures`);
    for (let i = 0; i < all; i++) {
      if (await seen() !== `${i}`) found.push(`slides ${await seen()} are seen, not ${i}`);
      const [down, formula] = await page.evaluate(() => [document.documentElement.scrollHeight - innerHeight, /\$/.test(document.querySelector('section.now').innerText)]);
      if (down > 0) found.push(`slide ${i} is ${down} pixels too high`);
      if (formula) found.push(`slide ${i} has TeX`);
      await page.keyboard.press('ArrowRight');
    }
    await page.keyboard.press('Home');
    await page.keyboard.press(' ');
    if (await seen() !== '1') found.push('Home and the space bar do not lead to the second slide');
    if (!await page.locator('.vega-embed').count()) found.push('nothing moves');
    await slid(page, found);
    await page.keyboard.press('f');
    await page.waitForFunction(() => document.fullscreenElement, null, { timeout: 2000 }).catch(() => found.push('f does not fill the screen'));
    const paper = (await page.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type \/Page\b/g).length;
    if (paper !== all) found.push(`${all} slides print on ${paper} pages`);
  });
}
if (!only.length || only.includes('404')) {
  for (const name of ['no-such-page.html', 'no/such/page.html']) await visit(name, { ...narrow, expected: /404/ }, async (page, found) => {
    if (await page.locator('main').evaluate(e => getComputedStyle(e).maxWidth) === 'none') found.push('has no style');
    if (!(await page.locator('main a[href="index.html"]').evaluate(a => a.href)).startsWith(`${address}/index`)) found.push('leads to no first page');
    if (!/no such page/.test(await page.textContent('h1')) || !await page.locator('main a[href="index.html"]').isVisible()) found.push('does not say what is missing');
  });
}
// A page that runs: a cell of it is changed and run, on what the cells before it declare, and one that draws; and why it does not.
const runs = pages.filter(p => fs.readFileSync(`${site}/${p}`, 'utf8').includes('id="run"'));
if (!only.length && !runs.length) faults.push('no page runs');
const begins = page => page.locator('#run').innerText();
const live = `${fs.readFileSync(new URL('../../notebooks/live.txt', import.meta.url), 'utf8').split('\n')[0]}.html`; // the first of the list
for (const name of runs.filter(p => p === live)) {
  await visit(name, wide, async (page, found) => {
    const [, size] = /^Run this page here ([\d.]+) MB/.exec(await begins(page)) || [];
    if (!(size > 10 && size < 40)) found.push(`the download is said to be ${size} MB`);
    let came = 0;
    page.on('response', async r => { if (r.url().includes('/kernel/') && /gz/.test(r.url())) came += Number(r.headers()['content-length']); });
    const clicked = Date.now();
    await page.click('#run button');
    const cells = page.locator('section.code:has(.go)'), outputs = c => c.locator('.output').count();
    await cells.first().waitFor({ timeout: 120_000 });
    if (Math.abs(came / 1e6 - size) > 0.1) found.push(`${came / 1e6} MB came, and ${size} were said`);
    const kept = await page.locator('.output').count();
    const [wrote, drew] = await cells.evaluateAll(all => [all.findIndex(c => c.querySelector('.output > pre') && !c.querySelector('.output img, .vega-embed')),
      all.findIndex(c => c.querySelector('.output > .figure img'))]); // which they are changes when they run
    const first = cells.nth(wrote), drawn = cells.nth(drew);
    const run = async (cell, how) => {
      await how();
      await cell.locator('.go', { hasText: /\d\.\d s|failed/ }).waitFor({ timeout: 400_000 });
      return (await cell.locator('.output').allInnerTexts()).join('\n');
    };
    const pre = first.locator('.highlight pre');
    await first.locator('details').evaluate(d => { d.open = true; });
    await pre.fill('%%\nfmt.Println("changed", len(os.Args))');
    const said = await run(first, () => pre.press('Shift+Enter'));
    if (said.trim() !== 'changed 1') found.push(`a changed cell says ${said}`);
    if (await page.locator('.output').count() < kept - 3) found.push('outputs of cells that did not run are gone');
    const before = await drawn.locator('img').first().getAttribute('src');
    const words = await run(drawn, () => drawn.getByRole('button').click());
    const image = drawn.locator('.output img').last();
    if (/failed/.test(await drawn.locator('.go').innerText()) || await image.getAttribute('src') === before || !await image.evaluate(i => i.naturalWidth)) found.push(`a cell that draws says ${words}`);
    await pre.fill('%%\nfor {\n}');
    await pre.press('Shift+Enter');
    await page.waitForTimeout(3000);
    await page.getByRole('button', { name: 'Stop' }).click();
    await first.locator('.go', { hasText: 'stopped' }).waitFor({ timeout: 5000 });
    await pre.fill('%%\nfmt.Println(nothing)');
    const wrong = await run(first, () => pre.press('Shift+Enter'));
    if (!/^Cell\[\d+\]: Line 2: undefined: nothing/.test(wrong.trim())) found.push(`a cell that does not compile says ${wrong}`);
    await shot(page, name, 'ran');
    await page.locator('#run input[type=file]').setInputFiles({ name: 'own.svm', mimeType: 'text/plain', buffer: Buffer.from('1 1:1\n2 2:1\n') });
    await page.waitForFunction(() => /own\.svm is here/.test(document.getElementById('run').textContent), null, { timeout: 5000 });
    await pre.fill('%%\nb, err := os.ReadFile("own.svm")\nfmt.Println(len(b), err, os.Getenv("FWLAB_DATA"))');
    const read = await run(first, () => pre.press('Shift+Enter'));
    if (read.trim() !== '12 <nil> /home') found.push(`a file that was chosen reads ${read}`);
    await page.waitForFunction(async () => (await navigator.serviceWorker.ready) && (await (await caches.open('fwlab-pages')).keys()).length > 8, null, { timeout: 10_000 });
    await page.context().setOffline(true);
    await page.reload();
    await page.click('#run button');
    await cells.first().waitFor({ timeout: 120_000 });
    const alone = await run(drawn, () => drawn.getByRole('button').click());
    if (/failed/.test(await drawn.locator('.go').innerText())) found.push(`without a network a cell says ${alone}`);
    await page.context().setOffline(false);
    console.log(`${name} ran ${Math.round((Date.now() - clicked) / 100) / 10} s after the first click`);
  });
  const still = (view, words, before) => visit(name, view, async (page, found) => {
    if (!words.test(await begins(page)) || await page.locator('#run button').count()) found.push(`where it cannot run it says ${await begins(page)}`);
  }, before);
  await still(narrow, /telephone/);
  await still(wide, /too little/, () => Object.defineProperty(Navigator.prototype, 'deviceMemory', { get: () => 2 }));
  await still(wide, /has WebAssembly/, () => { delete globalThis.WebAssembly; });
  await still({ ...wide, at: `file://${site}` }, /http\.server/);
  await visit(name, { ...wide, expected: /404/ }, async (page, found) => {
    await page.route('**/kernel/compile.wasm.gz*', r => r.fulfill({ status: 404 }));
    await page.click('#run button');
    await page.waitForFunction(() => /compile\.wasm\.gz cannot be loaded: 404/.test(document.getElementById('run').textContent), null, { timeout: 60_000 });
    if (await page.locator('#run button').isDisabled()) found.push('cannot be asked to run again');
  });
}
// What the first page has in its first screen: the doors, and a race that moves; by a click where less motion is asked for.
const lines = page => page.$$eval('#chart polyline', all => all.map(l => l.getAttribute('points')).join(' '));
const less = { reducedMotion: 'reduce' };
if (!only.length || only.includes('index')) {
  for (const view of [wide, narrow]) await visit('index.html', view, async (page, found) => {
    const low = await page.$$eval('.doors a, #chart', all => all.map(e => Math.round(e.getBoundingClientRect().bottom)));
    if (low.length < 4 || Math.max(...low) > view.viewport.height) found.push(`doors and chart end at ${low}`);
    await page.waitForFunction(() => document.querySelector('#chart polyline'), null, { timeout: 30_000 });
    const before = await lines(page);
    await page.waitForFunction(was => [...document.querySelectorAll('#chart polyline')].map(l => l.getAttribute('points')).join(' ') !== was, before, { timeout: 5000 })
      .catch(() => found.push('nothing moves'));
    await page.screenshot({ path: `${out}/index-moves.png` });
  });
  await visit('index.html', { ...wide, ...less }, async (page, found) => {
    let came = 0;
    page.on('request', r => { if (/\.wasm/.test(r.url())) came++; });
    await page.waitForTimeout(1500);
    if (came || await lines(page)) found.push('a race starts by itself where less motion is asked for');
    await page.click('#go');
    await page.waitForFunction(() => document.querySelector('#chart polyline'), null, { timeout: 30_000 });
  });
  await visit('index.html', wide, async (page, found) => { // by the keyboard alone
    const at = () => page.evaluate(() => document.activeElement.textContent || document.activeElement.type);
    const tab = async () => { await page.keyboard.press('Tab'); return at(); };
    const way = [await tab(), await tab(), await tab()];
    if (`${way}` !== 'to the text,fwlab,pages') found.push(`the keys lead to ${way}`);
    await page.keyboard.press('Enter');
    const first = await tab();
    if (!await page.locator('.menu nav a').first().evaluate((a, t) => a.textContent === t && a === document.activeElement, first)) found.push(`the menu's first page is ${first}`);
    await page.keyboard.press('Escape');
    if (await at() !== 'pages' || await page.locator('.menu nav').isVisible()) found.push('Escape does not close the menu');
  });
}
// The search: loaded at the first key, it leads to what was asked for, says so where there is nothing, or where it cannot be loaded.
if (!only.length || only.includes('search')) for (const view of [wide, narrow]) {
  await visit('live.html', { ...view, ...less }, async (page, found) => {
    let came = 0;
    page.on('request', r => { if (r.url().endsWith('/search.js')) came++; });
    const box = page.locator('.search input'), said = page.locator('.search [role=status]'), hits = page.locator('.search li a');
    await box.focus();
    if (came) found.push('the search is loaded before the first key');
    await box.pressSequentially('Lemma 1');
    await hits.first().waitFor({ timeout: 5000 });
    const [first] = await hits.allInnerTexts(), sides = await page.locator('.search > div').boundingBox();
    if (came !== 1 || !/Lemma 1/.test(first) || !/places/.test(await said.innerText())) found.push(`it finds ${first}`);
    if (sides.x < 0 || sides.x + sides.width > view.viewport.width) found.push('its answers do not fit');
    await page.screenshot({ path: `${out}/search-${view.viewport.width}.png` });
    await box.fill('qqqqq');
    if (!/No page has/.test(await said.innerText()) || await hits.count()) found.push('it finds what is nowhere');
    await page.keyboard.press('Escape');
    if (await said.isVisible()) found.push('Escape does not close it');
    await box.fill('storc without CONSTANTS');
    await page.keyboard.press('ArrowDown');
    if (!await hits.first().evaluate(a => a === document.activeElement)) found.push('the arrows do not go to an answer');
    await page.keyboard.press('Enter');
    await page.waitForURL(u => !u.pathname.endsWith('live.html'), { timeout: 5000 });
    if (!/constants/i.test(await page.innerText('main'))) found.push(`it leads to ${page.url()}`);
    await page.locator('.search input').fill('fwopt Run');
    await page.keyboard.press('Enter');
    await page.waitForURL(/api-fwopt\.html/, { timeout: 5000 }).catch(() => found.push(`fwopt Run is at ${page.url()}`));
  });
  await visit('404.html', { ...view, expected: /404/ }, async (page, found) => {
    await page.route('**/search.js', r => r.fulfill({ status: 404 }));
    await page.locator('.search input').pressSequentially('x');
    await page.locator('.search [role=status]', { hasText: 'cannot be loaded' }).waitFor({ timeout: 5000 }).catch(() => found.push('does not say that the search cannot be loaded'));
  });
}
// A name in a cell leads to its place in the API, and from there to its line.
if (!only.length || only.includes('api')) await visit('quickstart.html', wide, async (page, found) => {
  const link = page.locator('section.code a.declared[href^="api-"]:visible').first(), [file, id] = (await link.getAttribute('href')).split('#');
  await link.click();
  await page.waitForURL(u => u.pathname.endsWith(file) && u.hash === `#${id}`, { timeout: 5000 });
  const place = page.locator(`[id="${id}"]`), top = await place.evaluate(e => e.getBoundingClientRect().top);
  if (top < -1 || top > 900) found.push(`${id} is at ${top}`);
  if (!/github.*\.go#L\d+$/.test(await page.locator('h2 .source').first().getAttribute('href'))) found.push('no link to a line');
});
if (!only.length || only.includes('live')) {
  // It starts by itself, the methods in turn; on a telephone its chart is on the first screen.
  await visit('live.html', narrow, async (page, found) => {
    const box = await page.locator('#chart').boundingBox();
    if (box.y + box.height > 844) found.push(`the chart ends at ${box.y + box.height}`);
    const seen = [];
    await page.exposeFunction('saw', row => seen.push(row));
    await page.evaluate(() => new MutationObserver(() => saw([...document.querySelectorAll('#counts tbody tr')].map(r => [...r.cells].map(c => c.textContent))))
      .observe(document.querySelector('#counts tbody'), { childList: true }));
    await page.waitForFunction(() => /^Done/.test(document.getElementById('said').textContent), null, { timeout: 120_000 });
    const number = t => Number(t.replaceAll(',', '')), turns = seen.map(rows => rows.filter(r => r[6] === 'running' && number(r[2])).map(r => number(r[2]))).filter(t => t.length > 1);
    if (turns.length < 5) found.push(`only ${turns.length} of ${seen.length} looks have two methods at work`);
    for (const t of turns) if (Math.min(...t) > 30_000 && Math.max(...t) > 1.1 * Math.min(...t) + 4 * 1797) found.push(`one method is ahead of the others in terms: ${t}`);
    // The colours and dashes of the library's figures.
    const registry = ['fwopt', 'fwopt/fwmore'].map(d => fs.readFileSync(new URL(`../../${d}/registry.go`, import.meta.url), 'utf8')).join('');
    const drawn = await page.$$eval('#chart polyline', all => all.map(l => [l.textContent, l.getAttribute('stroke'), l.getAttribute('stroke-dasharray')]));
    if (drawn.length < 4) found.push(`${drawn.length} lines`);
    for (const [name, stroke, dash] of drawn) {
      const [, colour, dashes = ''] = new RegExp(`Name:\\s+"${name}",[^]*?Colour: 0x(\\w+), Width: [\\d.]+(?:, Dashes: \\[\\]float64\\{(.*?)\\})?`).exec(registry) || [];
      if (stroke !== `#${colour?.toLowerCase()}` || dash !== dashes.replaceAll(',', '')) found.push(`${name} is ${stroke} ${dash}, in the figures ${colour} ${dashes}`);
    }
    await page.screenshot({ path: `${out}/live-first.png` });
  });
  await visit('live.html', { ...wide, ...less }, async (page, found) => {
    const said = words => page.waitForFunction(w => new RegExp(w).test(document.getElementById('said').textContent), words.source, { timeout: 120_000 });
    const race = async (gap, during) => {
      await page.selectOption('[name=gap]', gap);
      await page.click('#go');
      if (during) await during();
      await said(/^Done/);
      return page.$$eval('#counts tbody tr', rows => rows.map(r => [...r.cells].map(c => c.textContent)));
    };
    const ready = () => page.waitForFunction(() => !document.getElementById('go').disabled, null, { timeout: 60_000 });
    await ready();
    await page.click('#settings summary');
    // What is no number is named beside the form, and the race stays possible.
    for (const [name, value, words] of [['radius', '', /radius must/], ['radius', '1e308', /radius must/], ['seed', '9007199254740993', /seed must/],
      ['seed', '', /seed must/], ['gap', '', /target must/], ['terms', '', /limit of gradients must/]]) {
      const field = page.locator(`[name=${name}]`), was = await field.inputValue();
      await field.evaluate((e, v) => { e.value = v; }, value);
      await page.click('#go');
      const text = await page.textContent('#said');
      if (!words.test(text) || await page.locator('#go').isDisabled()) found.push(`${name} "${value}": ${text}`);
      await field.evaluate((e, v) => { e.value = v; }, was);
    }
    const tick = only => page.$$eval('[name=method]', (c, o) => { for (const e of c) e.checked = o.includes(e.value); }, only);
    const ticked = await page.$$eval('[name=method]:checked', c => c.map(e => e.value));
    await tick([]);
    await page.click('#go');
    if (!/^Tick a method/.test(await page.textContent('#said'))) found.push('races with no method');
    await tick(ticked);
    // The race is what the form said at its beginning: so are the counts, below, and the caption.
    const radius = v => page.$eval('[name=radius]', (e, v) => { e.value = v; e.dispatchEvent(new Event('input', { bubbles: true })); }, v);
    const easy = await race('1'), hard = await race('0.1', async () => {
      if (!await page.locator('[name=radius]').isDisabled()) found.push('the radius can be changed while a race runs');
      await radius('5');
    });
    const drawn = async words => {
      const text = await page.textContent('#drawn');
      if (!words.test(text)) found.push(`the caption is: ${text}`);
    };
    await drawn(/radius 50, target 0.1 .* 2,000,000 .* seed 1;.* 1,797\..*has changed/);
    await radius('50');
    await drawn(/radius 50, .* 1,797\.$/);
    const terms = (rows, method) => Number(rows.find(r => r[0] === method)[2].replaceAll(',', ''));
    for (const r of [...easy, ...hard]) if (r[6] !== 'there' && r[0] !== 'SFW') found.push(`${r[0]} is ${r[6]}`);
    if (easy.length !== 5) found.push(`${easy.length} methods ran`);
    if (terms(hard, 'FW') <= terms(easy, 'FW')) found.push('a smaller target costs FW no more');
    if (terms(hard, 'SVRF') >= terms(hard, 'FW')) found.push('SVRF does not part from FW');
    if (await page.locator('#chart polyline').count() !== 5) found.push('the chart has not five lines');
    await shot(page, 'live', 'raced');
    // The numbers of the page's text.
    await tick(['FW', 'SVRF']);
    const finest = await race('0.01');
    const seen = await page.$$eval('#seen tbody tr', rows => rows.map(r => [...r.cells].slice(1).map(c => c.textContent)));
    [easy, hard, finest].forEach((rows, i) => {
      const ran = ['FW', 'SVRF'].map(m => rows.find(r => r[0] === m)[2]), ratio = (terms(rows, 'FW') / terms(rows, 'SVRF')).toFixed(1);
      if (`${seen[i]}` !== `${[...ran, ratio]}`) found.push(`the text says ${seen[i]}, the race ${[...ran, ratio]}`);
    });
    await tick(ticked);
    await page.setInputFiles('[name=file]', { name: 'bad.svm', mimeType: 'text/plain', buffer: Buffer.from('1 1:x\n') });
    await said(/bad\.svm.*digits: n = /);
    await ready();
    const file = Array.from({ length: 60 }, (_, i) => `${i % 3} ${1 + i % 3}:1 ${4 + i % 5}:0.${i % 10}`).join('\n');
    await page.setInputFiles('[name=file]', { name: 'mine.svm', mimeType: 'text/plain', buffer: Buffer.from(file) });
    await said(/mine.*n = 60/);
    await race('0.1');
  });
  // A browser without WebAssembly, and a solver or a script of its that is not there.
  await visit('live.html', wide, async (page, found) => {
    if (!/WebAssembly/.test(await page.textContent('#said')) || !await page.locator('#go').isDisabled()) found.push('without WebAssembly it does not say so');
  }, () => { delete globalThis.WebAssembly; });
  await visit('live.html', { ...wide, at: `file://${site}` }, async (page, found) => {
    if (!/from a file.*http\.server/.test(await page.textContent('#said'))) found.push('does not say how to serve it');
  });
  for (const [missing, words] of [['live.wasm.gz', /404/], ['wasm_exec.js', /wasm_exec\.js/], ['worker.js', /cannot be loaded/], ['live.js', /has not started/]]) {
    await visit('live.html', { ...wide, expected: /404|importScripts/ }, async page => {
      await page.route(`**/${missing}`, r => r.fulfill({ status: 404 }));
      await page.reload();
      await page.waitForFunction(w => new RegExp(w).test(document.getElementById('said').textContent), words.source, { timeout: 20_000 });
    });
  }
}
await browser.close();
server.close();
for (const f of faults) console.log(`FAILED  ${f}`);
console.log(`${passed} visits of ${pages.length} pages as they should be, ${faults.length} faults, ${Math.round((Date.now() - started) / 1000)} s; screenshots in ${out}`);
process.exitCode = faults.length ? 1 : 0;

// A Go kernel in this page. new Kernel(folder), load(), execute(), stop(). No server has a part in it.
import { Files } from './files.js';

async function fetched(url, how) {
  const got = await fetch(url, how).catch(() => null);
  if (!got?.ok) throw new Error(`${new URL(url).pathname.split('/').pop()} cannot be loaded${got ? `: ${got.status}` : ''}`);
  return got;
}

// gunzip unpacks what no server has unpacked on the way.
const gunzip = async bytes => bytes[0] !== 0x1f || bytes[1] !== 0x8b ? bytes : new Uint8Array(await new Response(
  new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer());

export class Kernel {
  constructor(base, { env = {}, cwd = '/home' } = {}) {
    Object.assign(this, { base: new URL(base.replace(/\/?$/, '/'), location.href).href, env, cwd, count: 0, asked: new Map(), number: 0, here: new Set() });
    this.files = new Files();
    this.files.folders(cwd);
    this.turn = Promise.resolve();
  }

  // sizes gives what load will bring for these imports, in bytes over the wire.
  async sizes(imports) {
    await this.read();
    return Object.values(this.index.tools).reduce((n, t) => n + t.size, 0) +
      this.closure(imports).reduce((n, p) => n + this.index.packages[p].size, 0);
  }
  async read() { this.index ??= await (await fetched(`${this.base}index.json`, { cache: 'no-cache' })).json(); }

  closure(imports) {
    const all = new Set();
    for (const p of imports) {
      if (!this.index.packages[p]) continue;
      all.add(p);
      for (const d of this.index.packages[p].deps) if (this.index.packages[d]) all.add(d);
    }
    return [...all].sort();
  }

  // url has the sum of what the file holds, so that nothing on the way gives an older one.
  url(file, { sum }) { return `${this.base}${file}?${sum}`; }

  // bytes gives a file unpacked, from this browser's cache when it was here before.
  async bytes(url) {
    const had = await this.cache?.match(url).catch(() => null);
    if (had) return gunzip(new Uint8Array(await had.arrayBuffer()));
    const bytes = new Uint8Array(await (await fetched(url)).arrayBuffer());
    await this.cache?.put(url, new Response(bytes)).catch(() => { this.full = true; }); // a full storage costs the next visit only
    return gunzip(bytes);
  }

  async load(imports = [], progress = () => {}) {
    await this.read();
    const { tools, commands, packages } = this.index;
    this.cache = await globalThis.caches?.open('fwlab-kernel').catch(() => null);
    this.full = !this.cache; // what came cannot be kept
    this.worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
    const up = new Promise((done, wrong) => { this.up = done; this.worker.onerror = e => wrong(new Error(e.message || 'the worker does not start')); });
    this.worker.onmessage = e => this.heard(e.data);
    let sum = 0;
    const came = n => progress(sum += n);
    const modules = {}, compiled = Promise.all(Object.entries(tools).map(async ([name, t]) => {
      const bytes = await this.bytes(this.url(t.file, t));
      came(t.size);
      modules[name] = await WebAssembly.compile(bytes);
    }));
    await Promise.all([compiled, up.then(() => this.bring(imports, came))]);
    await this.ask('tools', { ...modules, packages: Object.fromEntries([...Object.entries(packages).filter(([, p]) => !p.hidden).map(([k, p]) => [k, p.name]),
      ...Object.keys(commands).map(k => [k, 'main'])]) });
    await this.forget();
    await this.remember();
  }

  // forget takes what an earlier index named out of the cache.
  async forget() {
    const { tools, commands, packages } = this.index;
    const now = new Set([...Object.values({ ...tools, ...commands }).map(t => this.url(t.file, t)), ...Object.entries(packages).map(([path, p]) => this.url(`packages/${path}.gz`, p))]);
    for (const { url } of await this.cache?.keys().catch(() => []) || []) if (url.startsWith(this.base) && !now.has(url)) await this.cache.delete(url);
  }

  /* Files that cells wrote, for a later visit; of two tabs, the last one to write a file wins. */

  async remember() {
    const store = this.store = await globalThis.caches?.open('fwlab-kernel-files').catch(() => null);
    for (const r of await store?.keys() || []) {
      const path = new URL(r.url).searchParams.get('path');
      if (!this.files.all.has(path)) this.files.put(path, new Uint8Array(await (await store.match(r)).arrayBuffer()));
    }
    this.dirty = new Set();
  }
  wrote(c) {
    this.files.apply(c);
    for (const path of [c.write, c.cut, c.remove, c.rename, c.to]) if (path?.startsWith(`${this.cwd}/`)) this.dirty.add(path);
    this.saving ||= setTimeout(() => this.save(), 200);
  }
  async save() {
    this.saving = null;
    const paths = new Set([...this.dirty].flatMap(p => // those below a folder, too
      [p, ...[...this.files.all.keys()].filter(k => k.startsWith(`${p}/`))]));
    this.dirty.clear();
    for (const path of paths) {
      const key = `${this.base}file?path=${encodeURIComponent(path)}`, data = this.files.get(path);
      await (data ? this.store?.put(key, new Response(data.slice())) : this.store?.delete(key))?.catch(() => {
        this.on?.stream('stderr', `this browser's storage is full: ${path} is kept until this page is closed\n`);
      });
    }
  }

  async bring(imports, came = () => {}) {
    await Promise.all(this.closure([...imports, 'runtime']).filter(p => !this.here.has(p)).map(async path => {
      const p = this.index.packages[path], data = await this.bytes(this.url(`packages/${path}.gz`, p));
      await this.ask('package', { path, data }, [data.buffer]);
      this.here.add(path);
      came(p.size);
    }));
  }

  ask(what, m = {}, give = []) {
    return new Promise((done, wrong) => {
      this.asked.set(++this.number, { done, wrong });
      this.worker.postMessage({ ask: what, number: this.number, ...m }, give);
    });
  }
  heard(m) {
    if (m.ready) return this.up();
    if (m.bring) return this.bring(m.bring).catch(() => {}).then(() => this.ask('brought')); // what is missing, the compiler names
    if (m.display) return this.on?.display(m.display);
    if (m.back) return this.running?.postMessage({ back: m.back });
    const a = this.asked.get(m.number);
    this.asked.delete(m.number);
    if (m.failed !== undefined) a?.wrong(new Error(m.failed));
    else a?.done(m.answer);
  }

  // execute runs a cell after those before it. on has stream(name, text) and display({ data, metadata, id }).
  // It gives { status: 'ok' | 'error' | 'stopped', message, seconds by step }. Errors call the cell by its id.
  execute(source, on, id) { return this.after(() => this.cell(source, on, id)); }

  // declare takes what a cell declares without a run; its status is 'error' where that is no Go.
  declare(source, id) {
    return this.after(async () => {
      const p = await this.ask('compose', { id: id ?? ++this.count, source });
      if (!p.error && !p.empty) await this.ask('keep');
      return p.error ? { status: 'error', message: p.error } : { status: 'ok' };
    });
  }

  after(step) { return this.turn = this.turn.then(step).catch(e => ({ status: 'error', message: String(e.message || e) })); }

  async cell(source, on, id) {
    this.on = on;
    this.stopping = false;
    const began = performance.now();
    const p = await this.ask('compose', { id: id ?? ++this.count, source });
    for (const note of p.notes) on.stream('stderr', `${note}\n`);
    if (p.error) return { status: 'error', message: p.error };
    for (const words of p.commands) {
      const code = await this.command(words.map(w => w.replaceAll('$GONB_DIR', this.cwd)), on);
      if (code) return { status: 'error', message: `exit status ${code}` };
    }
    if (p.empty) return { status: 'ok' };
    let program = p.text, imports = p.imports, args = p.args;
    if (p.test) ({ program, imports, args } = testing(p));
    await this.bring(imports);
    if (this.stopping) return { status: 'stopped' };
    const all = this.closure([...imports, 'runtime']);
    const built = await this.ask('build', { program, direct: imports.filter(i => i !== 'unsafe'), all });
    if (built.error) return { status: 'error', message: built.error };
    await this.ask('keep');
    if (this.stopping) return { status: 'stopped' };
    await this.ask('pipe');
    const start = performance.now();
    const end = await this.run(built.binary, args, on);
    return { ...end, compile: built.compile / 1e3, link: built.link / 1e3, run: (performance.now() - start) / 1e3, all: (performance.now() - began) / 1e3 };
  }

  // command runs a program that came with the kernel, on those of its arguments that are files; it gives its exit code.
  async command(args, on) {
    const c = this.index.commands[args[0]], module = await WebAssembly.compile(await this.bytes(this.url(c.file, c)));
    const given = args.filter(a => this.files.get(a)).map(a => [a, this.files.get(a).slice(), this.files.all.get(a).time]);
    const { code, said } = await this.ask('command', { module, args, given });
    on.stream(code ? 'stderr' : 'stdout', said);
    return code;
  }

  run(binary, args, on) {
    return new Promise(done => {
      const worker = this.running = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
      let after = Promise.resolve(); // what a program says is shown in its order
      let line = '', soon; // a stack trace comes in pieces, and its lines are looked at whole
      const flush = () => {
        clearTimeout(soon);
        const said = line;
        line = '';
        if (said) after = after.then(async () => on.stream('stderr', await this.ask('trace', { said })));
      };
      const end = how => { flush(); this.running = null; this.end = null; worker.terminate(); after.then(() => done(how)); };
      this.end = end;
      worker.onerror = e => end({ status: 'error', message: e.message || 'the program ended without a word: perhaps it wanted more memory than there is' });
      worker.onmessage = ({ data: m }) => {
        if (m.ready) worker.postMessage({ ask: 'run', binary, args, env: this.env, cwd: this.cwd, given: [...this.files.all] }, [binary.buffer]);
        else if (m.changed) this.wrote(m.changed);
        else if (m.pipe) flush(), after = after.then(() => this.ask('feed', { bytes: m.pipe }));
        else if (m.stream === 1) flush(), after = after.then(() => on.stream('stdout', m.text));
        else if (m.stream) {
          line += m.text;
          clearTimeout(soon);
          if (line.length > 1e4 && line.endsWith('\n')) flush();
          else soon = setTimeout(flush, 30);
        }
        else if (m.failed !== undefined) end({ status: 'error', message: m.failed });
        else if (m.ended !== undefined) end(m.ended ? { status: 'error', message: `exit status ${m.ended}` } : { status: 'ok' });
      };
    });
  }

  // stop ends what runs, at once; files that it wrote stay.
  stop() {
    this.stopping = true;
    this.end?.({ status: 'stopped', message: 'stopped' });
  }
}

// testing makes a program of a cell with tests, as go test does.
function testing(p) {
  const names = kind => [...p.text.matchAll(new RegExp(`^func (${kind}\\w*)\\(`, 'gm'))].map(m => m[1]).filter(n => n !== 'TestMain');
  const list = kind => names(kind).map(n => `{"${n}", ${n}}`).join(', ');
  const main = `func main() { fwos.Exit(fwtesting.MainStart(fwdeps.TestDeps{}, []fwtesting.InternalTest{${list('Test')}},` +
    ` []fwtesting.InternalBenchmark{${list('Benchmark')}}, nil, nil).Run()) }\n`;
  const i = p.text.lastIndexOf('\nfunc main()');
  const program = p.text.slice(0, i + 1).replace('package main', 'package main; import fwos "os"; import fwtesting "testing"; import fwdeps "testing/internal/testdeps"')
    .replace(/^\t"flag"\n/m, '\t_ "flag"\n') + main;
  return { program, args: p.args, imports: [...new Set([...p.imports, 'os', 'testing', 'testing/internal/testdeps'])] };
}

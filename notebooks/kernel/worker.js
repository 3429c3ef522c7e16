// The kernel's two workers: with "tools" it holds compiler, linker, archives and engine; without, it is one run of
// a program, which Stop ends with the worker.
import { Files } from './files.js';

const post = (m, ...more) => self.postMessage(m, ...more);
const text = new TextDecoder();
let output = () => {};
const files = new Files(c => post({ changed: c.bytes ? { ...c, bytes: c.bytes.slice() } : c }));
globalThis.process = { getuid: () => -1, getgid: () => -1, geteuid: () => -1, getegid: () => -1, getgroups: () => [],
  pid: 1, ppid: 0, umask: () => 0o22, cwd: () => files.cwd,
  chdir: d => { if (!files.all.get(files.path(d))?.dir) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' }); files.cwd = files.path(d); } };
globalThis.fs = files.fs((n, bytes) => output(n, bytes));
await import('./wasm_exec.js'); // after process and fs

// run runs a module of Go once and gives its exit code.
async function run(module, args, env) {
  const go = new Go();
  let code = 0;
  go.exit = c => { code = c; };
  go.argv = args;
  go.env = env;
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  return code;
}

/* The tools */

const tools = {};
let brought; // what waits for packages

// heard runs a module and gives what it says, too; one may run within another.
async function heard(module, args, env) {
  let said = '';
  const stream = new TextDecoder(), before = output;
  output = (_, bytes) => { said += stream.decode(bytes, { stream: true }); };
  const code = await run(module, args, { HOME: '/', TMPDIR: '/tmp', ...env });
  output = before;
  return { code, said };
}
const tool = (name, args) => heard(tools[name], [name, ...args], { GOROOT: '/go', GOMAXPROCS: '1' });
const compile = (name, archive, cfg, ...more) => tool('compile', ['-o', archive, '-p', name, '-importcfg', cfg, '-complete', '-pack', '-c=1', '-dwarf=false', ...more]);

const config = paths => paths.map(p => `packagefile ${p}=/pkg/${p}.a\n`).join('');

const answers = {
  async tools({ compile, link, engine, packages }) { // modules, and names by paths
    Object.assign(tools, { compile, link });
    files.changed = () => {};
    files.folders('/tmp');
    const ready = new Promise(done => { globalThis.fwReady = done; });
    run(engine, ['engine'], {});
    await ready;
    return fwNames(JSON.stringify(packages));
  },
  package({ path, data }) { files.put(`/pkg/${path}.a`, data); },
  compose: ({ id, source }) => fwCompose(id, source),
  keep: () => fwKeep(),
  trace: ({ said }) => fwTrace(said),
  // build gives the program's bytes; its packages are those that package brought.
  async build({ program, direct, all }) {
    const began = performance.now(), encode = s => new TextEncoder().encode(s);
    files.put('/tmp/main.go', encode(program));
    files.put('/tmp/compilecfg', encode(config(direct)));
    files.put('/tmp/linkcfg', encode(config(all)));
    let got = await compile('main', '/tmp/main.a', '/tmp/compilecfg', '-trimpath=/tmp', '/tmp/main.go');
    const compiled = performance.now();
    if (got.code) return { error: fwError(got.said) };
    got = await tool('link', ['-o', '/tmp/main.wasm', '-importcfg', '/tmp/linkcfg', '-s', '-w', '-buildmode=exe', '/tmp/main.a']);
    if (got.code) return { error: fwError(got.said) };
    const binary = files.get('/tmp/main.wasm').slice();
    return { binary, compile: compiled - began, link: performance.now() - compiled };
  },
  // command runs another program; fwBuild compiles the package in a folder of its, and package wire below.
  async command({ module, args, given }) {
    for (const file of given) files.put(...file);
    globalThis.fwBuild = async (dir, imports) => {
      await new Promise(done => { brought = done; post({ bring: imports }); });
      const here = imports.filter(p => files.all.has(`/pkg/${p}.a`)), wire = `packagefile grade/wire=${dir}/wire.a\n`;
      files.put('/tmp/gradecfg', new TextEncoder().encode(config(here) + wire));
      const go = folder => [...files.all.keys()].filter(p => p.startsWith(folder) && p.endsWith('.go') && !p.slice(folder.length).includes('/'));
      const got = await compile('grade/wire', `${dir}/wire.a`, '/tmp/gradecfg', '-e', ...go(`${dir}/wire/`));
      return got.code ? got : compile('main', `${dir}/main.a`, '/tmp/gradecfg', '-e', ...go(`${dir}/`));
    };
    return heard(module, args);
  },
  brought: () => brought(),
  pipe: () => fwPipe(d => post({ display: d }), bytes => post({ back: bytes })),
  feed: ({ bytes }) => fwFeed(bytes),
};

/* A run */

// limited gives a module's memory a maximum, in pages: Go then says "out of memory" itself.
function limited(b, pages) {
  let at = 8;
  const number = () => { let n = 0, shift = 0, byte; do { byte = b[at++]; n += (byte & 127) * 2 ** shift; shift += 7; } while (byte & 128); return n; };
  const bytes = n => { const out = []; do { out.push(n % 128 | (n > 127 ? 128 : 0)); n = Math.floor(n / 128); } while (n); return out; };
  while (at < b.length) {
    const start = at, kind = b[at++], size = number(), body = at;
    if (kind === 5) { // one memory: 1, flags, least[, most]
      at = body + 2;
      const least = number(), section = [1, 1, ...bytes(least), ...bytes(Math.max(least, pages))];
      const head = [5, ...bytes(section.length), ...section], rest = b.subarray(body + size);
      const out = new Uint8Array(start + head.length + rest.length);
      out.set(b.subarray(0, start));
      out.set(head, start);
      out.set(rest, start + head.length);
      return out;
    }
    at = body + size;
  }
  return b;
}

const MEMORY = 8192; // pages of 64 KB, half a GB
const LIMIT = 1 << 20; // bytes of stdout and stderr that are shown

async function program({ binary, args, env, given, cwd }) {
  for (const [path, f] of given) {
    if (f.dir) files.folders(path);
    else files.all.set(path, { ...f, shared: true });
  }
  files.folders(cwd);
  files.folders('/tmp');
  files.cwd = cwd;
  let waiting = null, came = [];
  const give = () => {
    if (!waiting || !came.length) return;
    const { done, len } = waiting, bytes = came[0].subarray(0, len);
    came[0] = came[0].subarray(bytes.length);
    if (!came[0].length) came.shift();
    waiting = null;
    done(bytes);
  };
  self.onmessage = e => { came.push(e.data.back); give(); };
  files.hooks.set('/gonb/pipe', { write: bytes => { flush(); post({ pipe: bytes.slice() }); }, read: done => done(new Uint8Array(0)) });
  files.hooks.set('/gonb/back', { write: () => {}, read: (done, len) => { waiting = { done, len }; give(); } });
  let shown = 0;
  const streams = [, new TextDecoder(), new TextDecoder()];
  let held = '', of = 1, last = 0, soon = 0; // little that comes fast goes together
  const flush = () => { soon = 0; if (held) post({ stream: of, text: held }); held = ''; last = performance.now(); };
  output = (n, bytes) => {
    if (shown > LIMIT) return;
    shown += bytes.length;
    if (n !== of) flush();
    of = n;
    held += streams[n].decode(bytes, { stream: true });
    if (performance.now() - last > 20 || shown > LIMIT) flush();
    else soon ||= setTimeout(flush, 20);
    if (shown > LIMIT) post({ stream: 2, text: `\n[what it prints after ${LIMIT >> 20} MB is left out]\n` });
  };
  const module = await WebAssembly.compile(limited(binary, MEMORY));
  const code = await run(module, ['cell', ...args], { HOME: '/home', TMPDIR: '/tmp', GONB_PIPE: '/gonb/pipe', GONB_PIPE_BACK: '/gonb/back',
    GONB_DIR: cwd, ...env });
  flush();
  post({ ended: code });
}

self.onmessage = async e => {
  const { ask, number, ...m } = e.data;
  try {
    if (ask === 'run') return await program(m);
    const answer = await answers[ask](m);
    post({ number, answer }, answer?.binary ? [answer.binary.buffer] : []);
  } catch (e) {
    post({ number, failed: e.stack && /RuntimeError|RangeError/.test(e.name) ? `${e.name}: ${e.message}` : String(e) });
  }
};
post({ ready: true });

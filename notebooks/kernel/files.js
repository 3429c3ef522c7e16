// Files in memory, as Go's js/wasm port asks for them: node's fs with callbacks. It says what was written (changed).
const fail = (code, what) => Object.assign(new Error(`${code}: ${what || ''}`), { code });

export class Files {
  constructor(changed = () => {}) {
    this.all = new Map(); // path → { data, size } or { dir: true }
    this.open = new Map(); // number → { file, at, path } or { hook }
    this.hooks = new Map(); // path → { write(bytes), read(done) }
    this.next = 10;
    this.changed = changed;
    this.cwd = '/';
    this.all.set('/', this.folder());
  }

  folder() { return { dir: true, mode: 0o40755, time: 0 }; }
  path(p) {
    const parts = [];
    for (const s of (p.startsWith('/') ? p : `${this.cwd}/${p}`).split('/')) {
      if (s === '..') parts.pop();
      else if (s && s !== '.') parts.push(s);
    }
    return '/' + parts.join('/');
  }
  put(path, data, time = Date.now()) { // data is kept, not copied
    path = this.path(path);
    this.folders(path.replace(/\/[^/]*$/, '') || '/');
    this.all.set(path, { data, size: data.length, mode: 0o100644, time });
  }
  folders(path) {
    for (let p = path; !this.all.has(p); p = p.replace(/\/[^/]*$/, '') || '/') this.all.set(p, this.folder());
  }
  get(path) {
    const f = this.all.get(this.path(path));
    return f && !f.dir ? f.data.subarray(0, f.size) : null;
  }
  grow(f, size) {
    if (size > f.data.length || f.shared) {
      const data = new Uint8Array(Math.max(size, Math.min(2 * f.data.length, f.data.length + (64 << 20)), 512));
      data.set(f.data.subarray(0, f.size));
      f.data = data;
      f.shared = false;
    }
  }

  stat(f) {
    const ms = f.time || 0;
    return { dev: 0, ino: 0, mode: f.mode, nlink: 1, uid: 0, gid: 0, rdev: 0, size: f.size || 0, blksize: 4096,
      blocks: Math.ceil((f.size || 0) / 512), atimeMs: ms, mtimeMs: ms, ctimeMs: ms, isDirectory: () => !!f.dir };
  }

  // fs gives the object that wasm_exec.js wants; out(number, bytes) gets what goes to stdout and stderr.
  fs(out) {
    const constants = { O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_TRUNC: 512, O_APPEND: 1024, O_EXCL: 128, O_DIRECTORY: 65536 };
    const at = p => {
      const f = this.all.get(this.path(p));
      if (!f) throw fail('ENOENT', p);
      return f;
    };
    const fd = n => {
      const o = this.open.get(n);
      if (!o) throw fail('EBADF', n);
      return o;
    };
    const parent = path => {
      const dir = this.all.get(path.replace(/\/[^/]*$/, '') || '/');
      if (!dir) throw fail('ENOENT', path);
      if (!dir.dir) throw fail('ENOTDIR', path);
    };
    const write = (n, buf, off, len, pos) => {
      const bytes = buf.subarray(off, off + len);
      if (n === 1 || n === 2) return out(n, bytes), len;
      const o = fd(n);
      if (o.hook) return o.hook.write(bytes), len;
      const f = o.file, to = o.append ? f.size : pos ?? o.at;
      this.grow(f, to + len);
      f.data.set(bytes, to);
      f.size = Math.max(f.size, to + len);
      f.time = Date.now();
      if (pos === null || pos === undefined) o.at = to + len;
      this.changed({ write: o.path, at: to, bytes });
      return len;
    };
    const calls = {
      open: (p, flags, mode) => {
        const path = this.path(p), hook = this.hooks.get(path);
        const n = this.next++;
        if (hook) return this.open.set(n, { hook }), n;
        let f = this.all.get(path);
        if (f && flags & constants.O_CREAT && flags & constants.O_EXCL) throw fail('EEXIST', p);
        if (!f) {
          if (!(flags & constants.O_CREAT)) throw fail('ENOENT', p);
          parent(path);
          f = { data: new Uint8Array(0), size: 0, mode: 0o100000 | (mode || 0o644), time: Date.now() };
          this.all.set(path, f);
          this.changed({ write: path, at: 0, bytes: f.data });
        }
        if (f.dir && flags & 3) throw fail('EISDIR', p);
        if (flags & constants.O_TRUNC && flags & 3) { f.data = new Uint8Array(0); f.size = 0; this.changed({ cut: path, size: 0 }); }
        this.open.set(n, { file: f, at: 0, path, append: !!(flags & constants.O_APPEND) });
        return n;
      },
      close: n => { fd(n); this.open.delete(n); },
      write,
      stat: p => this.stat(at(p)),
      lstat: p => this.stat(at(p)),
      fstat: n => n < 3 ? this.stat({ mode: 0o20666 }) : fd(n).hook ? this.stat({ mode: 0o10666 }) : this.stat(fd(n).file),
      mkdir: p => {
        const path = this.path(p);
        if (this.all.has(path)) throw fail('EEXIST', p);
        parent(path);
        this.all.set(path, this.folder());
        this.changed({ mkdir: path });
      },
      readdir: p => {
        const f = at(p);
        if (!f.dir) throw fail('ENOTDIR', p);
        const start = this.path(p).replace(/\/$/, '') + '/';
        return [...this.all.keys()].filter(k => k.startsWith(start) && k !== '/' && !k.slice(start.length).includes('/')).map(k => k.slice(start.length));
      },
      unlink: p => { if (at(p).dir) throw fail('EISDIR', p); this.all.delete(this.path(p)); this.changed({ remove: this.path(p) }); },
      rmdir: p => {
        if (!at(p).dir) throw fail('ENOTDIR', p);
        if (calls.readdir(p).length) throw fail('ENOTEMPTY', p);
        this.all.delete(this.path(p));
        this.changed({ remove: this.path(p) });
      },
      rename: (p, q) => {
        const from = this.path(p), to = this.path(q), f = at(p);
        parent(to);
        if (f.dir) for (const [k, v] of [...this.all]) if (k.startsWith(from + '/')) { this.all.delete(k); this.all.set(to + k.slice(from.length), v); }
        this.all.delete(from);
        this.all.set(to, f);
        for (const o of this.open.values()) if (o.file === f) o.path = to;
        this.changed({ rename: from, to });
      },
      ftruncate: (n, size) => { const o = fd(n); this.grow(o.file, size); o.file.data.fill(0, size); o.file.size = size; this.changed({ cut: o.path, size }); },
      truncate: (p, size) => { const f = at(p); this.grow(f, size); f.data.fill(0, size); f.size = size; this.changed({ cut: this.path(p), size }); },
      fsync: () => {}, chmod: (p, mode) => { const f = at(p); f.mode = f.mode & ~0o777 | mode & 0o777; },
      fchmod: () => {}, utimes: () => {}, chown: () => {}, fchown: () => {}, lchown: () => {},
      link: () => { throw fail('ENOSYS'); }, symlink: () => { throw fail('ENOSYS'); }, readlink: () => { throw fail('EINVAL'); },
    };
    const fs = { constants, writeSync: (n, buf) => write(n, buf, 0, buf.length, null) };
    for (const [name, f] of Object.entries(calls)) {
      fs[name] = (...args) => {
        const done = args.pop();
        let got;
        try { got = f(...args); } catch (e) { return done(e.code ? e : fail('EIO', e.message)); }
        done(null, got);
      };
    }
    fs.read = (n, buf, off, len, pos, done) => {
      if (n === 0) return done(null, 0);
      const o = this.open.get(n);
      if (!o) return done(fail('EBADF', n));
      if (o.hook) return o.hook.read(bytes => { buf.set(bytes, off); done(null, bytes.length); }, len);
      if (o.file.dir) return done(fail('EISDIR', o.path));
      const from = pos ?? o.at, k = Math.max(0, Math.min(len, o.file.size - from));
      buf.set(o.file.data.subarray(from, from + k), off);
      if (pos === null || pos === undefined) o.at += k;
      done(null, k);
    };
    return fs;
  }

  // apply does to these files what others' changed said.
  apply(c) {
    if (c.write !== undefined) {
      if (!this.all.has(c.write)) this.put(c.write, new Uint8Array(0));
      const f = this.all.get(c.write);
      this.grow(f, c.at + c.bytes.length);
      f.data.set(c.bytes, c.at);
      f.size = Math.max(f.size, c.at + c.bytes.length);
    } else if (c.cut !== undefined) {
      const f = this.all.get(c.cut);
      if (f) { this.grow(f, c.size); f.data.fill(0, c.size); f.size = c.size; }
    } else if (c.mkdir !== undefined) this.folders(c.mkdir);
    else if (c.remove !== undefined) this.all.delete(c.remove);
    else if (c.rename !== undefined) {
      for (const [k, v] of [...this.all]) {
        if (k !== c.rename && !k.startsWith(c.rename + '/')) continue;
        this.all.delete(k);
        this.all.set(c.to + k.slice(c.rename.length), v);
      }
    }
  }
}

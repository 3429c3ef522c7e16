// The kernel as an extension of JupyterLite: what a bundler would make of a plugin, written by hand, for it is short.
// JupyterLite loads this script, gives it the packages that all extensions share, and asks it for its plugin.
(() => {
  const here = new URL('.', document.currentScript.src).href, CWD = '/home', LARGEST = 64 << 20; // bytes of a file
  let shared;

  // own gives one of the shared packages.
  const own = async name => {
    const versions = Object.values(shared[name] || {});
    return versions.length ? (await versions[0].get())() : null;
  };
  const logo = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">' +
    '<rect width="64" height="64" rx="8" fill="#00add8"/><text x="32" y="43" font="bold" font-family="sans-serif" font-size="30" ' +
    'font-weight="bold" text-anchor="middle" fill="#fff">Go</text></svg>');

  function plugin({ BaseKernel, IKernelSpecs, IKernelClient }) {
    class GoKernel extends BaseKernel {
      constructor(options, contents) {
        super(options);
        Object.assign(this, { contents, known: new Map(), running: new Map(), folder: options.location.replace(/\/[^/]*\.ipynb$/, '') });
      }

      // start brings the tools at the first cell, and again after what went wrong.
      start() {
        return this.started ??= (async () => {
          const { Kernel } = await import(`${here}kernel.js`);
          const kernel = new Kernel(here, { env: { FWLAB_BUDGET: 'short', FWLAB_DATA: CWD }, cwd: CWD });
          let last = 0;
          const size = await kernel.sizes([]), id = `go-${this.id}`;
          const tell = text => ({ data: { 'text/plain': text }, transient: { display_id: id } });
          this.displayData(tell('Go’s compiler comes.'));
          await kernel.load([], sum => {
            if (Date.now() - last < 200) return;
            last = Date.now();
            this.updateDisplayData(tell(`Go’s compiler comes: ${(sum / 1e6).toFixed(1)} of ${(size / 1e6).toFixed(1)} MB.`));
          });
          this.updateDisplayData(tell('Go’s compiler is here.'));
          return this.kernel = kernel;
        })().catch(e => { this.started = null; throw e; });
      }

      async kernelInfoRequest() {
        return { status: 'ok', protocol_version: '5.3', implementation: 'go', implementation_version: '0.1.0', banner: 'Go, in this browser',
          help_links: [{ text: 'Go', url: 'https://go.dev/doc/' }],
          language_info: { name: 'go', version: '', mimetype: 'text/x-go', file_extension: '.go', codemirror_mode: 'go', pygments_lexer: 'go', nbconvert_exporter: '' } };
      }

      async executeRequest({ code }) {
        const wrong = (ename, evalue) => {
          const traceback = evalue ? evalue.split('\n') : [];
          this.publishExecuteError({ ename, evalue, traceback });
          return { status: 'error', execution_count: this.executionCount, ename, evalue, traceback };
        };
        let end;
        try {
          const kernel = await this.start();
          await this.take(this.folder, CWD);
          this.before = this.state();
          const seen = new Set();
          end = await kernel.execute(code, {
            stream: (name, text) => this.stream({ name, text }),
            display: ({ data, metadata, id }) => {
              const content = { data, metadata: metadata || {}, transient: id ? { display_id: id } : {} };
              if (id && seen.has(id)) return this.updateDisplayData(content);
              seen.add(id);
              this.displayData(content);
            },
          });
          await this.give();
        } catch (e) {
          return wrong('Kernel', e.message);
        }
        if (end.status !== 'ok') return wrong(end.status === 'stopped' ? 'Stopped' : 'Go', end.message || end.status);
        return { status: 'ok', execution_count: this.executionCount, user_expressions: {} };
      }

      /* Files: those beside the notebook, and in folders there, are in the cell's folder; what a cell writes beside it comes back. */

      async take(folder, to) {
        const there = await this.contents.get(folder, { content: true }).catch(() => null);
        for (const f of there?.content || []) {
          if (f.type === 'directory') {
            await this.take(f.path, `${to}/${f.name}`);
            continue;
          }
          if (f.size > LARGEST || this.known.get(f.path) === f.last_modified) continue;
          const get = format => this.contents.get(f.path, { content: true, ...format });
          // JupyterLite hands out its own files as base64 only if they are Latin-1
          const { content, format } = await (f.type === 'file' ? get({ format: 'base64' }).catch(() => get()) : get());
          this.kernel.files.put(`${to}/${f.name}`, format === 'base64' ? Uint8Array.from(atob(content), c => c.charCodeAt(0)) :
            new TextEncoder().encode(format === 'json' ? JSON.stringify(content) : content), Date.parse(f.last_modified));
          this.known.set(f.path, f.last_modified);
        }
      }
      // state says which version of each file beside the notebook there is.
      state() {
        return new Map([...this.kernel.files.all].filter(([p, f]) => !f.dir && p.startsWith(`${CWD}/`) && !p.slice(CWD.length + 1).includes('/'))
          .map(([p, f]) => [p.slice(CWD.length + 1), f]).map(([n, f]) => [n, { file: f, time: f.time, size: f.size }]));
      }
      async give() {
        for (const [name, { file, time, size }] of this.state()) {
          const was = this.before.get(name);
          if (size > LARGEST || was && was.file === file && was.time === time && was.size === size) continue;
          const bytes = file.data.subarray(0, size);
          let text = '';
          for (let i = 0; i < bytes.length; i += 1 << 15) text += String.fromCharCode(...bytes.subarray(i, i + (1 << 15)));
          const saved = await this.contents.save(this.folder ? `${this.folder}/${name}` : name, { type: 'file', format: 'base64', content: btoa(text) });
          this.known.set(saved.path, saved.last_modified);
        }
      }

      async isCompleteRequest() { return { status: 'unknown' }; }
      async completeRequest({ cursor_pos }) { return { status: 'ok', matches: [], cursor_start: cursor_pos, cursor_end: cursor_pos, metadata: {} }; }
      async inspectRequest() { return { status: 'ok', found: false, data: {}, metadata: {} }; }
      async commInfoRequest() { return { status: 'ok', comms: {} }; }
      inputReply() {}
      async commOpen() {}
      async commMsg() {}
      async commClose() {}

      stop() { this.kernel?.stop(); }
      dispose() {
        this.stop();
        this.kernel?.worker?.terminate();
        super.dispose();
      }
    }

    return {
      id: 'jupyterlite-go-kernel:plugin', autoStart: true, requires: [IKernelSpecs], optional: [IKernelClient],
      activate(app, specs, client) {
        const kernels = new Map();
        specs.register({
          spec: { name: 'gonb', display_name: 'Go (in this browser)', language: 'go', argv: [], resources: { 'logo-32x32': logo, 'logo-64x64': logo, 'logo-svg': logo } },
          create: async options => {
            const kernel = new GoKernel(options, app.serviceManager.contents);
            kernels.set(options.id, kernel);
            return kernel;
          },
        });
        // JupyterLite's interrupt lets the cells that wait go; the one that runs is ours to stop.
        const interrupt = client?.interrupt?.bind(client);
        if (interrupt) client.interrupt = id => { kernels.get(id)?.stop(); return interrupt(id); };
      },
    };
  }

  (globalThis._JUPYTERLAB ??= {})['jupyterlite-go-kernel'] = {
    init(scope) { shared = scope; },
    async get() {
      const services = await own('@jupyterlite/services'); // JupyterLab with a server has none, and Go's own kernel
      const it = services ? plugin(services) : [];
      return () => it;
    },
  };
})();

// The thread that solves, so that the page stays alive. Messages: {load: file or null} and
// {run: {...}}; answers: {ready}, {loaded}, {point}, {ended}, {error}.
'use strict';
importScripts('wasm_exec.js');
const go = new Go();
const call = answer => {
  if (answer.error) throw new Error(answer.error);
  return answer.value;
};
const ready = fetch('live.wasm').then(r => {
  if (!r.ok) throw new Error(`live.wasm: ${r.status} ${r.statusText}`);
  return r.arrayBuffer();
}).then(bytes => WebAssembly.instantiate(bytes, go.importObject)).then(({ instance }) => { go.run(instance); });
ready.catch(() => {}); // each message says it

onmessage = async ({ data: { load, run } }) => {
  try {
    await ready;
    if (run) {
      const { method, set, radius, seed, gap, terms } = run;
      const ended = call(fwlabRun(method, set, radius, seed, gap, terms, (...point) => postMessage({ method, point })));
      postMessage({ method, ended });
    } else if (load) {
      postMessage({ loaded: call(fwlabLoad(load.name, new Uint8Array(await load.arrayBuffer()))) });
    } else {
      postMessage({ loaded: call(fwlabLoad()) });
    }
  } catch (e) {
    postMessage({ error: e.message || String(e) });
  }
};

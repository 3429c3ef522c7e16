// The thread that solves, so that the page stays alive. Messages: {load: file or null} and
// {run: {...}}; answers: {loaded} or {unread}, {method, point}, {method, ended} or {method, error}, and {missing}.
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
}).then(bytes => WebAssembly.instantiate(bytes, go.importObject)).then(({ instance }) => { go.run(instance); return true; })
  .catch(e => { postMessage({ missing: e.message || String(e) }); });

onmessage = async ({ data: { load, run } }) => {
  if (!await ready) return;
  const said = e => e.message || String(e);
  if (run) {
    const { method, set, radius, seed, gap, terms } = run;
    try {
      const ended = call(fwlabRun(method, set, radius, seed, gap, terms, (...point) => postMessage({ method, point })));
      postMessage({ method, ended });
    } catch (e) {
      postMessage({ method, error: said(e) });
    }
    return;
  }
  try {
    postMessage({ loaded: call(load ? fwlabLoad(load.name, new Uint8Array(await load.arrayBuffer())) : fwlabLoad()) });
  } catch (e) {
    postMessage({ [load ? 'unread' : 'missing']: said(e) });
  }
};

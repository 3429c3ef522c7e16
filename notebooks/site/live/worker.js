// The thread that solves, so that the page stays alive. Messages: {load: file or null} and {race: {...}};
// answers: {loaded, styles} or {unread}, {method, point, ended}, {done} or {error}, and {missing}.
'use strict';
importScripts('wasm_exec.js');
const go = new Go();
const call = answer => {
  if (answer.error) throw new Error(answer.error);
  return answer.value;
};
const ready = fetch('live.wasm.gz').then(r => {
  if (!r.ok) throw new Error(`live.wasm.gz: ${r.status} ${r.statusText}`);
  return new Response(r.body.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}).then(bytes => WebAssembly.instantiate(bytes, go.importObject)).then(({ instance }) => { go.run(instance); return true; })
  .catch(e => { postMessage({ missing: e.message || String(e) }); });

onmessage = async ({ data: { load, race } }) => {
  if (!await ready) return;
  const said = e => e.message || String(e);
  if (race) {
    const { methods, set, radius, seed, gap, terms } = race;
    try {
      call(fwlabRace(methods, set, radius, seed, gap, terms, (method, ...point) => postMessage({ method, ended: point.pop(), point })));
      postMessage({ done: true });
    } catch (e) {
      postMessage({ error: said(e) });
    }
    return;
  }
  try {
    postMessage({ loaded: call(load ? fwlabLoad(load.name, new Uint8Array(await load.arrayBuffer())) : fwlabLoad()), styles: fwlabStyles });
  } catch (e) {
    postMessage({ [load ? 'unread' : 'missing']: said(e) });
  }
};

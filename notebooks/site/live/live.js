// The form, the chart and the table of the live page. worker.js solves.
'use strict';
const colours = { FW: 'var(--ink)', 'FW, line search': '#777777', SFW: '#E69F00', SVRF: '#D55E00', 'STORC, adaptive': '#0072B2' };
const form = document.getElementById('live'), said = document.getElementById('said'), chart = document.getElementById('chart');
const fields = document.getElementById('fields'), goButton = document.getElementById('go'), stopButton = document.getElementById('stop');
const say = (text, bad) => { said.textContent = text; said.className = bad ? 'never' : ''; };
const elsewhere = 'The quick start shows the same race as a picture.';
let worker, data = '', queue = [], runs = {}, race; // race is what the form said when the runs began

document.getElementById('methods').innerHTML = Object.keys(colours).map(m =>
  `<label><input type="checkbox" name="method" value="${m}"${m === 'FW, line search' ? '' : ' checked'}> ${m}</label>`).join(' ');

function start(before = '') {
  running(false);
  goButton.disabled = true;
  if (location.protocol === 'file:') {
    say('A browser does not run the solver from a file. Serve the folder of this page, with "python3 -m http.server" in it, and open http://localhost:8000/live.html.', true);
    return;
  }
  if (typeof WebAssembly !== 'object' || typeof Worker !== 'function') {
    say(`This browser has no WebAssembly, which the solver needs. ${elsewhere}`, true);
    return;
  }
  worker?.terminate();
  say(`${before}Loading the solver.`, before);
  worker = new Worker('worker.js');
  worker.onerror = e => answer({ missing: e.message || 'worker.js cannot be loaded' });
  worker.onmessage = e => answer(e.data, before);
  worker.postMessage({ load: form.elements.file.files[0] || null });
}

function running(yes) {
  fields.disabled = goButton.disabled = yes;
  stopButton.disabled = !yes;
}

// answer takes what the worker says: a part of the solver is missing, what was read or why not,
// a look at a run, its end or why there is none.
function answer({ missing, loaded, unread, method, point, ended, error }, before) {
  if (missing) {
    worker.terminate();
    running(false);
    goButton.disabled = true;
    say(`The solver cannot be loaded (${missing}): this copy of the site is not whole, or the network is away. ${elsewhere}`, true);
  }
  if (unread) {
    form.elements.file.value = '';
    start(`${unread}. The digits are here again; choose another file, or race. `);
  }
  if (loaded) {
    data = loaded;
    goButton.disabled = false;
    say(before + loaded, before);
    caption();
  }
  if (error) {
    runs[method].ended = 'failed';
    queue = [];
    start(`${method} has failed: ${error}. Choose other settings, or another method. `);
  }
  if (point) runs[method].points.push(point);
  if (ended) {
    runs[method].ended = ended;
    next();
  }
  if (method) draw();
}

function next() {
  const method = queue.shift();
  running(Boolean(method));
  if (!method) { say('Done. Choose another target, or another set.'); return; }
  say(`${method} is running.`);
  runs[method] = { points: [] };
  worker.postMessage({ run: { ...race, method } });
}

// settings are what the form says, with the first field that holds no such number as fault.
function settings() {
  const s = { set: form.elements.set.value, data };
  for (const [name, label, lo, hi, whole] of [['radius', 'radius', 1e-6, 1e6], ['gap', 'target', 1e-12, 1e12],
    ['terms', 'limit of gradients', 1, 1e12, true], ['seed', 'seed', 0, Number.MAX_SAFE_INTEGER, true]]) {
    const field = form.elements[name], v = field.value.trim() === '' ? NaN : Number(field.value);
    const good = v >= lo && v <= hi && (!whole || Number.isInteger(v));
    field.setAttribute('aria-invalid', !good);
    if (!good) s.fault ||= { field, text: `The ${label} must be a ${whole ? 'whole ' : ''}number from ${lo} to ${hi.toLocaleString('en')}.` };
    s[name] = v;
  }
  return s;
}

form.onsubmit = e => {
  e.preventDefault();
  if (goButton.disabled) return; // Enter in a field
  const now = settings(), methods = [...form.querySelectorAll('[name=method]:checked')].map(c => c.value);
  if (now.fault || !methods.length) {
    say(now.fault?.text || 'Tick a method.', true);
    (now.fault?.field || form.querySelector('[name=method]')).focus();
    return;
  }
  race = now;
  queue = methods;
  runs = {};
  next();
  draw();
};
stopButton.onclick = () => { // the solver does not listen while it works
  for (const run of Object.values(runs)) run.ended ||= 'stopped';
  queue = [];
  start();
  draw();
};
form.elements.file.onchange = () => start();
form.elements.set.onchange = () => { form.elements.radius.value = { 'trace norm': 50, l1: 200, l2: 20 }[form.elements.set.value]; };
form.elements.axis.onchange = () => draw();
form.addEventListener('change', caption);
form.addEventListener('input', caption);
addEventListener('resize', draw);

// caption says which race the picture and the table are of.
function caption() {
  if (!race) return;
  const now = settings(), changed = Object.keys(race).some(k => !Object.is(race[k], now[k]));
  const set = form.elements.set.querySelector(`[value="${race.set}"]`).text;
  document.getElementById('drawn').textContent = `Chart and table: ${set} of radius ${race.radius}, target ${race.gap} (dashed), ` +
    `at most ${race.terms.toLocaleString('en')} gradients of terms, seed ${race.seed}; data ${race.data.match(/^.*?: n = [\d,]*\d/)?.[0] ?? race.data}.` +
    (changed ? ' The form has changed since: they show the settings before.' : '');
}

const H = 400, top_ = 30, bottom = 45, left = 52, letter = 7.4; // in pixels
function draw() {
  caption();
  rows();
  const axis = Number(form.elements.axis.value), log = Math.log10;
  const lines = Object.entries(runs).map(([method, run]) => { // the best gap that is proven so far, of the best iterate
    let best = Infinity;
    return { method, points: run.points.filter(p => [p[axis], p[2]].every(v => v > 0 && v < Infinity)).map(p => [log(p[axis]), log(best = Math.min(best, p[2]))]) };
  }).filter(l => l.points.length);
  if (!lines.length) { chart.innerHTML = ''; return; }
  if (!chart.firstChild) chart.innerHTML = '<g/>'; // an empty one has no width
  const W = chart.clientWidth || 720, right = W < 500 ? 20 : 120, all = lines.flatMap(l => l.points), target = log(race.gap);
  const x0 = Math.floor(Math.min(...all.map(p => p[0]))), x1 = Math.max(x0 + 1, ...all.map(p => p[0] + 0.03));
  const y1 = Math.max(target + 1, ...all.map(p => p[1] + 0.03)), low = Math.min(target, ...all.map(p => p[1]));
  const y0 = low - (y1 - low) * 0.25; // names stand below the target
  const x = v => left + (v - x0) / (x1 - x0) * (W - left - right), y = v => top_ + (y1 - v) / (y1 - y0) * (H - top_ - bottom);
  const power = e => e < -3 || e > 3 ? `10<tspan dy="-6" font-size="11">${e}</tspan>` : String(Number((10 ** e).toFixed(3)));
  const line = (a, b, c, d, more) => `<line x1="${a}" x2="${b}" y1="${c}" y2="${d}" ${more}/>`;
  let s = '';
  for (let e = x0, by = Math.ceil((x1 - x0) / 10); e <= x1; e += by) {
    s += line(x(e), x(e), top_, H - bottom, 'stroke="var(--line)"') + `<text x="${x(e)}" y="${H - bottom + 18}" text-anchor="middle">${power(e)}</text>`;
  }
  for (let e = Math.ceil(y0), by = Math.ceil((y1 - y0) / 10); e <= y1; e += by) {
    s += line(left, W - right, y(e), y(e), 'stroke="var(--line)"') + `<text x="${left - 8}" y="${y(e) + 5}" text-anchor="end">${power(e)}</text>`;
  }
  s += line(left, W - right, y(target), y(target), 'class="target" stroke="var(--soft)" stroke-dasharray="5 4"');
  s += `<text x="${(left + W - right) / 2}" y="${H - 8}" text-anchor="middle">${form.elements.axis.selectedOptions[0].text}</text>`;
  s += '<text x="4" y="16">proven duality gap</text>';
  const ink = []; // points that no name may cover
  for (let a = left; a < W - right; a += 4) ink.push([a, y(target)]);
  for (const { method, points } of lines) {
    const path = points.map(([a, b]) => [x(a), y(b)]);
    s += `<polyline points="${path.map(p => p.map(v => v.toFixed(1))).join(' ')}" fill="none" stroke="${colours[method]}" stroke-width="2"/>`;
    path.forEach(([a, b], i) => {
      const [c, d] = path[i - 1] || [a, b], parts = Math.ceil(Math.hypot(a - c, b - d) / 4) || 1;
      for (let k = 1; k <= parts; k++) ink.push([c + (a - c) * k / parts, d + (b - d) * k / parts]);
    });
  }
  const taken = [];
  for (const { method, points } of lines.sort((a, b) => b.points.at(-1)[0] - a.points.at(-1)[0])) {
    const end = [x(points.at(-1)[0]), y(points.at(-1)[1])], wide = method.length * letter;
    let least = Infinity, best;
    for (const dx of [8, -wide / 2, -wide - 8]) {
      for (let dy = -60; dy <= 90; dy += 6) { // the nearest free place, or the one that hides least
        const a = Math.max(left + 2, Math.min(end[0] + dx, W - wide - 4)), b = end[1] + dy;
        if (b < top_ + 8 || b > H - bottom - 8) continue;
        const inside = ink.filter(([c, d]) => c > a - 3 && c < a + wide + 3 && Math.abs(d - b) < 10).length;
        const over = taken.filter(t => a < t.a + t.wide + 6 && t.a < a + wide + 6 && Math.abs(t.b - b) < 16).length;
        const cost = 300 * inside + 5000 * over + Math.hypot(a + wide / 2 - end[0], b - end[1]);
        if (cost < least) [least, best] = [cost, { a, b, wide }];
      }
    }
    taken.push(best);
    s += `<circle cx="${end[0]}" cy="${end[1]}" r="3.5" fill="${colours[method]}"/><text class="name" x="${best.a}" y="${best.b + 4}" fill="${colours[method]}">${method}</text>`;
  }
  chart.setAttribute('viewBox', `0 0 ${W} ${H}`); // as wide as it is shown, so that letters keep their size
  chart.innerHTML = s;
}

function rows() {
  document.querySelector('#counts tbody').innerHTML = Object.entries(runs).map(([method, run]) => {
    const p = run.points.at(-1) || [0, 0, NaN, 0];
    const gap = Math.min(...run.points.map(q => q[2]));
    return `<tr><td>${method}</td><td>${Number.isFinite(gap) ? gap.toPrecision(2) : ''}</td><td>${p[0].toLocaleString('en')}</td>` +
      `<td>${p[1].toLocaleString('en')}</td><td>${p[3].toFixed(2)}</td><td>${gap <= race.gap ? 'there' : run.ended ? 'not there' : 'running'}</td></tr>`;
  }).join('');
}

start();

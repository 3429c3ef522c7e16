// The form, the chart and the table of a race. worker.js solves, and is loaded when a race begins: by itself when the chart comes
// into sight, or, for those who asked their system for less motion or less data, at a click.
'use strict';
const names = ['FW', 'FW, line search', 'SFW', 'SVRF', 'STORC, adaptive', 'FISTA'];
const form = document.getElementById('live'), said = document.getElementById('said'), chart = document.getElementById('chart');
const fields = document.getElementById('fields'), goButton = document.getElementById('go'), stopButton = document.getElementById('stop');
const say = (text, bad) => { said.textContent = text; said.className = bad ? 'never' : ''; };
const elsewhere = 'The quick start shows the same race as a picture.';
let worker, styles, data = '', runs = {}, race, waiting; // race is what the form said when the runs began, or will when the solver is there

document.getElementById('methods').innerHTML = names.map(m =>
  `<label><input type="checkbox" name="method" value="${m}"${m === 'FW, line search' ? '' : ' checked'}> ${m}</label>`).join(' ');

// cannot says why there will be no race, or nothing.
function cannot() {
  if (location.protocol === 'file:') {
    return 'A browser does not run the solver from a file. Serve the folder of this page, with "python3 -m http.server" in it, and open http://localhost:8000/live.html.';
  }
  for (const part of ['WebAssembly', 'Worker', 'DecompressionStream']) {
    if (!globalThis[part]) return `This browser has no ${part}, which the solver needs. ${elsewhere}`;
  }
}

// start loads the solver, with the file that was chosen or the digits.
function start(before = '') {
  running(false);
  worker?.terminate();
  goButton.disabled = true;
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
// a look at a run, the end of the race or why there is none.
function answer({ missing, loaded, styles: drawn, unread, method, point, ended, done, error }, before) {
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
    styles = drawn;
    goButton.disabled = false;
    say(before + loaded, before);
    caption();
    if (waiting) begin();
  }
  if (method) {
    runs[method].points.push(point);
    if (ended) runs[method].ended = ended;
    draw();
  }
  if (error) {
    for (const run of Object.values(runs)) run.ended ||= 'failed';
    draw();
    start(`${error}. Choose other settings, or another method. `);
  }
  if (done) {
    draw(true);
    running(false);
    const there = Object.entries(runs).filter(([, r]) => nearest(r) <= race.gap).map(([m, r]) => [m, r.points.at(-1)[0]])
      .sort(([, a], [, b]) => a - b).map(([m, n]) => `${m}, ${n.toLocaleString('en')}`);
    say(`Done. ${there.length ? `Fewest gradients of terms: ${there.slice(0, 2).join('; then ')}. ` : ''}Choose another axis, target or set.`);
  }
}

// begin races what was asked for.
function begin() {
  race = { ...waiting, data };
  waiting = null;
  runs = Object.fromEntries(race.methods.map(m => [m, { points: [] }]));
  running(true);
  say('The race is on. Whoever has used the fewest gradients of terms goes next; the first to reach the target wins.');
  worker.postMessage({ race });
  draw();
}

// settings are what the form says, with the first field that holds no such number as fault.
function settings() {
  const s = { set: form.elements.set.value };
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
  const now = settings();
  now.methods = [...form.querySelectorAll('[name=method]:checked')].map(c => c.value);
  if (now.fault || !now.methods.length) {
    say(now.fault?.text || 'Tick a method.', true);
    document.getElementById('settings').open = true;
    (now.fault?.field || form.querySelector('[name=method]')).focus();
    return;
  }
  waiting = now;
  if (data) begin();
  else start();
};
stopButton.onclick = () => { // the solver does not listen while it works
  for (const run of Object.values(runs)) run.ended ||= 'stopped';
  start();
  draw();
};
form.elements.file.onchange = () => start();
form.elements.set.onchange = () => { form.elements.radius.value = { 'trace norm': 50, l1: 200, l2: 20 }[form.elements.set.value]; };
form.elements.axis.onchange = () => draw();
form.addEventListener('change', caption);
form.addEventListener('input', caption);
addEventListener('resize', () => draw());

// caption says which race the picture and the table are of.
function caption() {
  if (!race) return;
  const now = { ...race, ...settings(), data }, changed = Object.keys(race).some(k => race[k] !== now[k]);
  const set = form.elements.set.querySelector(`[value="${race.set}"]`).text;
  document.getElementById('drawn').textContent = `Chart and table: ${set} of radius ${race.radius}, target ${race.gap} (dashed), ` +
    `at most ${race.terms.toLocaleString('en')} gradients of terms, seed ${race.seed}; data ${race.data.match(/^.*?: n = [\d,]*\d/)?.[0] ?? race.data}.` +
    (changed ? ' The form has changed since: they show the settings before.' : '');
}

// draw draws what is known, once a frame, or at once.
let frame;
function draw(now) {
  cancelAnimationFrame(frame);
  if (now) drawNow();
  else frame = requestAnimationFrame(drawNow);
}

const top_ = 30, bottom = 45, left = 52, letter = 7.4; // in pixels
function drawNow() {
  caption();
  rows();
  const axis = Number(form.elements.axis.value), log = Math.log10;
  const lines = Object.entries(runs).map(([method, run]) => { // the best gap that is proven so far, of the best iterate
    let best = Infinity;
    return { method, points: run.points.filter(p => [p[axis], p[2]].every(v => v > 0 && v < Infinity)).map(p => [log(p[axis]), log(best = Math.min(best, p[2]))]) };
  }).filter(l => l.points.length);
  const { clientWidth: W, clientHeight: H } = chart, right = W < 500 ? 20 : 120, target = log(race?.gap ?? 0.1);
  const all = lines.length ? lines.flatMap(l => l.points) : [[[3, 1], [0, 1], [], [-1, 1]][axis]];
  const x0 = Math.floor(Math.min(...all.map(p => p[0]))), x1 = Math.max(x0 + 1, ...all.map(p => p[0] + 0.03));
  const y1 = Math.max(target + 1, ...all.map(p => p[1] + 0.03)), low = Math.min(target, ...all.map(p => p[1]));
  const y0 = low - (y1 - low) * 0.25; // names stand below the target
  const x = v => left + (v - x0) / (x1 - x0) * (W - left - right), y = v => top_ + (y1 - v) / (y1 - y0) * (H - top_ - bottom);
  const power = e => e < -3 || e > 3 ? `10<tspan dy="-6" font-size="11">${e}</tspan>` : String(Number((10 ** e).toFixed(3)));
  const line = (a, b, c, d, more) => `<line x1="${a}" x2="${b}" y1="${c}" y2="${d}" ${more}/>`;
  let s = '';
  for (let e = x0, by = Math.ceil((x1 - x0) / 10); e <= x1; e += by) {
    s += line(x(e), x(e), top_, H - bottom, 'stroke="#ddd"') + `<text x="${x(e)}" y="${H - bottom + 18}" text-anchor="middle">${power(e)}</text>`;
  }
  for (let e = Math.ceil(y0), by = Math.ceil((y1 - y0) / 10); e <= y1; e += by) {
    s += line(left, W - right, y(e), y(e), 'stroke="#ddd"') + `<text x="${left - 8}" y="${y(e) + 5}" text-anchor="end">${power(e)}</text>`;
  }
  s += line(left, W - right, y(target), y(target), 'class="target" stroke="#999" stroke-dasharray="4 3"');
  s += `<text x="${(left + W - right) / 2}" y="${H - 8}" text-anchor="middle">${form.elements.axis.selectedOptions[0].text}</text>`;
  s += '<text x="4" y="16">proven duality gap</text>';
  const ink = []; // points that no name may cover
  for (let a = left; a < W - right; a += 4) ink.push([a, y(target)]);
  for (const { method, points } of lines) {
    const path = points.map(([a, b]) => [x(a), y(b)]);
    s += `<polyline points="${path.map(p => p.map(v => v.toFixed(1))).join(' ')}" fill="none" ${Object.entries(styles[method]).map(([k, v]) => `${k}="${v}"`).join(' ')}><title>${method}</title></polyline>`;
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
    s += `<circle cx="${end[0]}" cy="${end[1]}" r="3.5" fill="${styles[method].stroke}"/>` +
      `<text class="name" x="${best.a}" y="${best.b + 4}" style="fill: color-mix(in srgb, ${styles[method].stroke} 65%, #000)">${method}</text>`;
  }
  chart.setAttribute('viewBox', `0 0 ${W} ${H}`); // as wide as it is shown, so that letters keep their size
  chart.innerHTML = s;
}

// nearest is the least gap that a run has proven.
const nearest = run => Math.min(...run.points.map(q => q[2]));

function rows() {
  document.querySelector('#counts tbody').innerHTML = Object.entries(runs).map(([method, run]) => {
    const p = run.points.at(-1) || [0, 0, NaN, 0, 0];
    const gap = nearest(run);
    return `<tr><td>${method}</td><td>${Number.isFinite(gap) ? gap.toPrecision(2) : ''}</td><td>${p[0].toLocaleString('en')}</td>` +
      `<td>${p[1].toLocaleString('en')}</td><td>${p[4].toLocaleString('en')}</td><td>${p[3].toFixed(2)}</td><td>${gap <= race.gap ? 'there' : run.ended ? 'not there' : 'running'}</td></tr>`;
  }).join('');
}

draw();
goButton.disabled = Boolean(cannot());
say(cannot() || `Press race: the solver comes then, ${form.dataset.size} MB.`, cannot());
if (!cannot() && !matchMedia('(prefers-reduced-motion: reduce)').matches && !navigator.connection?.saveData) {
  const sight = new IntersectionObserver(seen => {
    if (!seen.some(e => e.isIntersecting)) return;
    sight.disconnect();
    if (!worker) form.requestSubmit();
  }, { threshold: 0.5 });
  sight.observe(chart);
}

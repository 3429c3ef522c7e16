// The form, the chart and the table of the live page. worker.js solves.
'use strict';
const colours = { FW: 'var(--ink)', 'FW, line search': '#777777', SFW: '#E69F00', SVRF: '#D55E00', 'STORC, adaptive': '#0072B2' };
const form = document.getElementById('live'), said = document.getElementById('said'), chart = document.getElementById('chart');
const goButton = document.getElementById('go'), stopButton = document.getElementById('stop');
const say = (text, bad) => { said.textContent = text; said.className = bad ? 'never' : ''; };
let worker, queue = [], runs = {}, targetGap = 0;

document.getElementById('methods').innerHTML = Object.keys(colours).map(m =>
  `<label><input type="checkbox" name="method" value="${m}"${m === 'FW, line search' ? '' : ' checked'}> ${m}</label>`).join(' ');

function start(file) {
  goButton.disabled = true;
  if (typeof WebAssembly !== 'object' || typeof Worker !== 'function') {
    say('This browser has no WebAssembly, which the solver needs. The quick start shows the same race as a picture.', true);
    return;
  }
  worker?.terminate();
  worker = new Worker('worker.js');
  worker.onerror = e => fail(e.message || 'the solver cannot be loaded');
  worker.onmessage = ({ data }) => answer(data);
  worker.postMessage({ load: file || null });
}

function fail(message) {
  queue = [];
  goButton.disabled = stopButton.disabled = true;
  say(`${message}. Reload the page, or choose another file.`, true);
}

function answer({ loaded, method, point, ended, error }) {
  if (error) { fail(error); return; }
  if (loaded) {
    say(loaded);
    goButton.disabled = false;
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
  stopButton.disabled = !method;
  goButton.disabled = Boolean(method);
  if (!method) { say('Done. Choose another target, or another set.'); return; }
  say(`${method} is running.`);
  const v = name => Number(form.elements[name].value);
  runs[method] = { points: [] };
  worker.postMessage({ run: { method, set: form.elements.set.value, radius: v('radius'), seed: v('seed'), gap: targetGap, terms: v('terms') } });
}

form.onsubmit = e => {
  e.preventDefault();
  queue = [...form.querySelectorAll('[name=method]:checked')].map(c => c.value);
  runs = {};
  targetGap = Number(form.elements.gap.value);
  next();
  draw();
};
stopButton.onclick = () => { // the solver does not listen while it works
  for (const run of Object.values(runs)) run.ended ||= 'stopped';
  queue = [];
  stopButton.disabled = true;
  start(form.elements.file.files[0]);
  draw();
};
form.elements.file.onchange = () => { runs = {}; queue = []; start(form.elements.file.files[0]); draw(); };
form.elements.set.onchange = () => { form.elements.radius.value = { 'trace norm': 50, l1: 200, l2: 20 }[form.elements.set.value]; };
form.elements.axis.onchange = () => draw();

const W = 720, H = 400, left = 60, right = 130, top_ = 15, bottom = 45;
function draw() {
  const axis = Number(form.elements.axis.value), lines = Object.entries(runs).map(([method, run]) =>
    [method, run.points.filter(p => p[axis] > 0 && p[2] > 0).map(p => [p[axis], p[2]])]);
  const all = lines.flatMap(([, points]) => points);
  const span = (values, wide) => {
    const lo = Math.floor(Math.log10(Math.min(...values))), hi = Math.ceil(Math.log10(Math.max(...values)));
    return [lo, Math.max(hi, lo + wide)];
  };
  let s = '';
  if (all.length) {
    const [x0, x1] = span(all.map(p => p[0]), 1), [y0, y1] = span([...all.map(p => p[1]), targetGap], 1);
    const x = v => left + (Math.log10(v) - x0) / (x1 - x0) * (W - left - right);
    const y = v => top_ + (y1 - Math.log10(v)) / (y1 - y0) * (H - top_ - bottom);
    const power = e => e < -3 || e > 3 ? `10<tspan dy="-6" font-size="10">${e}</tspan>` : String(Number((10 ** e).toFixed(3)));
    for (let e = x0; e <= x1; e++) {
      s += `<line x1="${x(10 ** e)}" x2="${x(10 ** e)}" y1="${top_}" y2="${H - bottom}" stroke="var(--line)"/>` +
        `<text x="${x(10 ** e)}" y="${H - bottom + 18}" text-anchor="middle">${power(e)}</text>`;
    }
    for (let e = y0; e <= y1; e++) {
      s += `<line x1="${left}" x2="${W - right}" y1="${y(10 ** e)}" y2="${y(10 ** e)}" stroke="var(--line)"/>` +
        `<text x="${left - 8}" y="${y(10 ** e) + 5}" text-anchor="end">${power(e)}</text>`;
    }
    s += `<line x1="${left}" x2="${W - right}" y1="${y(targetGap)}" y2="${y(targetGap)}" stroke="var(--soft)" stroke-dasharray="5 4"/>`;
    s += `<text x="${(left + W - right) / 2}" y="${H - 8}" text-anchor="middle">${form.elements.axis.selectedOptions[0].text}</text>`;
    const ends = [];
    for (const [method, points] of lines) {
      if (!points.length) continue;
      let best = Infinity; // the best gap that is proven so far, of the best iterate
      const path = points.map(([a, b]) => `${x(a).toFixed(1)},${y(best = Math.min(best, b)).toFixed(1)}`).join(' ');
      s += `<polyline points="${path}" fill="none" stroke="${colours[method]}" stroke-width="2"/>`;
      ends.push({ method, x: x(points.at(-1)[0]), y: y(best) });
    }
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((e, i) => { // the names do not cover one another
      e.at = Math.max(e.y + 4, i ? ends[i - 1].at + 15 : 0);
      s += `<text x="${Math.min(e.x + 6, W - right + 6)}" y="${e.at}" fill="${colours[e.method]}">${e.method}</text>`;
    });
  }
  chart.innerHTML = s;
  document.querySelector('#counts tbody').innerHTML = Object.entries(runs).map(([method, run]) => {
    const p = run.points.at(-1) || [0, 0, NaN, 0];
    const gap = Math.min(...run.points.map(q => q[2]));
    return `<tr><td>${method}</td><td>${Number.isFinite(gap) ? gap.toPrecision(2) : ''}</td><td>${p[0].toLocaleString('en')}</td>` +
      `<td>${p[1].toLocaleString('en')}</td><td>${p[3].toFixed(2)}</td><td>${gap <= targetGap ? 'there' : run.ended ? 'not there' : 'running'}</td></tr>`;
  }).join('');
}

start();

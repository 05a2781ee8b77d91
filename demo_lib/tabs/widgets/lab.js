// A training that goes on: switches, curves of the loss, the map of the characters, and afterwards a way back to each
// moment. What is there is moved, never drawn anew. value: {run, state: idle|waiting|running|paused|done|stopped, place,
//   step, steps, seconds, letters: [[char, kind]], points: [[x, y]], rows, dim, block, how: line|as it is|pca,
//   explained, curve: [[step, train, dev]], uniform, pairs, moments: {steps, points: [[[x, y]]]} | null}
// `select`: train; `pause`, `play` (go on) and `stop`. switchesOf, mapOf and curvesOf are in switches.js, plane.js and curves.js.

const root = element.querySelector('.be-lab');
let now = null, map = null, curves = null, picked = [], moment = null, timer = null;

const { status, progress, note, show: showSwitches } = switchesOf('train', () => halt());

const plots = make('div', 'be-lab-plots'), left = make('div', 'be-lab-plot'), right = make('div', 'be-lab-plot'), pair = make('div', 'be-lab-pair');
const wayBack = make('div', 'be-controls be-wayback'), range = make('input', 'be-range'), where = make('p', 'be-lab-where');
const replay = button('be-button', '', '', () => (timer ? halt() : run()));
range.type = 'range';
wayBack.append(replay, range);
pair.setAttribute('role', 'status');
plots.append(left, right);
root.append(plots, wayBack, where, pair);

const last = () => (now.moments ? now.moments.steps.length - 1 : 0);
const halt = () => { clearInterval(timer); timer = null; replay.textContent = say('replay'); };
const run = () => {
  if (moment === null || moment >= last()) moment = 0;
  const by = Math.max(1, Math.round(last() / 150));
  replay.textContent = say('replay_halt');
  timer = setInterval(() => {
    if (!element.isConnected || !now.moments) { halt(); return; }
    moment = Math.min(last(), moment + by);
    range.value = moment;
    place();
    if (moment >= last()) halt();
  }, 45);
};
range.addEventListener('input', () => { halt(); moment = Number(range.value); place(); });

// Two characters compared: by the numbers of this moment where the map shows them all, else by those of the last one
const compare = () => {
  const [a, b] = picked;
  if (a === undefined) { pair.replaceChildren(make('p', 'be-small', say('pair_hint'))); return; }
  const all = now.how === 'pca', shown = map.shown(), vector = (i) => (all ? now.rows[i] : shown[i].slice(0, now.dim));
  const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0), length = (i) => Math.sqrt(dot(vector(i), vector(i)));
  const name = (i) => visible(now.letters[i][0])[1], line = make('p', 'be-formula');
  if (b === undefined) line.textContent = say('pair_one', { a: name(a), norm: number(length(a), 3) });
  else {
    const product = dot(vector(a), vector(b)), lengths = length(a) * length(b), cosine = lengths ? product / lengths : 0;
    line.textContent = `${name(a)} · ${name(b)} = ${number(length(a), 3)} × ${number(length(b), 3)} × ${number(cosine, 3)} = ${number(product, 3)}`;
  }
  pair.replaceChildren(line, make('p', 'be-small', say(b === undefined ? 'pair_second' : all ? 'pair_all' : 'pair_means', { dim: now.dim })));
};
const pick = (i) => {
  picked = picked.includes(i) ? picked.filter((one) => one !== i) : [...picked, i].slice(-2);
  map.mark(picked);
  compare();
};

const nearest = (step) => now.curve.reduce((best, point) => (Math.abs(point[0] - step) < Math.abs(best[0] - step) ? point : best), now.curve[0]);
// Where the map and the curves are: at the last event, or at a moment of the past
const place = () => {
  const back = now.moments && moment !== null && moment < last();
  const points = back ? now.moments.points[moment] : now.points, step = back ? now.moments.steps[moment] : now.step;
  map.move(points, now.moments ? now.moments.points : null);
  map.mark(picked);
  curves.show(now, now.moments || now.state === 'idle' ? (back ? step : null) : null);
  const [, train, dev] = now.curve.length ? nearest(step) : [];
  where.textContent = now.moments ? say('where', { step: number(step), steps: number(now.steps), train: number(train, 3), dev: number(dev, 3) }) : '';
  range.setAttribute('aria-valuetext', where.textContent);
  if (picked.length) compare();
};

const told = () => {
  const point = now.curve[now.curve.length - 1] || [0, null, null], loss = (x) => (x === null ? '–' : number(x, 3));
  return say(`state_${now.state}`, {
    step: number(now.step), steps: number(now.steps), place: now.place || 0, seconds: number(now.seconds || 0, 1), train: loss(point[1]), dev: loss(point[2]),
  });
};

const build = () => {
  progress.setAttribute('aria-label', say('training_tab'));
  range.setAttribute('aria-label', say('wayback'));
  halt();
  if (!now) { if (!note.textContent) status.textContent = say('loading'); return; }
  map = mapOf(now, Math.min(right.clientWidth || 600, 640), pick);
  curves = curvesOf(now, Math.min(left.clientWidth || 600, 640));
  right.replaceChildren(...map.nodes);
  left.replaceChildren(...curves.nodes);
  compare();
};

const sameFrame = (a, b) => a && a.run === b.run && a.how === b.how && a.letters.length === b.letters.length && a.state !== 'idle';
const update = (again) => {
  const data = read();
  if (data.refused) { note.textContent = both(data.refused); show(); return; }
  if (!data.letters || (now && data.run < now.run)) { if (!now) build(); return; } // of a training that was left
  const fresh = again === true || !sameFrame(now, data);
  now = data;
  if (fresh) { picked = picked.filter((i) => i < now.letters.length); moment = null; build(); }
  note.textContent = '';
  if (now.moments) { range.max = last(); if (moment === null) { moment = last(); range.value = moment; } }
  show();
  place();
};
const show = () => {
  const state = now ? now.state : 'idle';
  showSwitches(state);
  wayBack.hidden = !now?.moments;
  progress.hidden = !now || state === 'idle';
  if (!now) return;
  progress.max = now.steps;
  progress.value = now.step;
  status.textContent = told();
};

build();
update(true);
show();
watch('value', () => update(false));
onLanguage(() => update(true));
let width = plots.clientWidth;
new ResizeObserver(() => {
  if (!plots.clientWidth || plots.clientWidth === width || !now) return;
  width = plots.clientWidth;
  build();
  place();
}).observe(plots);

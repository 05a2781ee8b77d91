// One embedding size after another. value: {run, state, place, now: [dim, one_hot], step, steps, tries: [[dim, one_hot,
//   parameters]], done: [{dim, one_hot, parameters, train, dev, test, seconds}]}. Events as of lab.js.

const root = element.querySelector('.be-sizes');
let now = null, drawn = '';
const place = make('div'), { status, progress, note, show: showSwitches } = switchesOf('sizes_start', () => {});
root.append(place);
const named = (dim, hot) => (hot ? say('size_hot', { dim }) : String(dim));

const picture = () => {
  const W = Math.max(300, Math.min(1100, root.clientWidth || 900)), H = W < 600 ? 330 : 400, left = 46, bottom = 62, top = 16, right = 20, n = now.tries.length;
  const losses = now.done.flatMap((row) => [row.train, row.dev]), low = Math.floor((Math.min(...losses) - 0.02) * 10) / 10, high = Math.ceil((Math.max(...losses) + 0.02) * 10) / 10;
  const X = (i) => left + ((i + 0.5) / n) * (W - left - right), Y = (loss) => top + ((high - loss) / (high - low)) * (H - top - bottom);
  const plane = svg('svg', { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: 'img', class: 'be-plane', 'aria-label': say('sizes_plot') });
  for (let loss = low; loss <= high + 1e-9; loss += 0.1) plane.append(svg('line', { x1: left, x2: W - right, y1: Y(loss), y2: Y(loss), class: 'be-grid' }), svg('text', { x: left - 8, y: Y(loss) + 4, class: 'be-tick', 'text-anchor': 'end' }, number(loss, 1)));
  now.tries.forEach(([dim, hot, parameters], i) => {
    plane.append(
      svg('text', { x: X(i), y: H - bottom + 22, class: 'be-size-name', 'text-anchor': 'middle' }, hot ? say('size_hot_short') : String(dim)),
      svg('text', { x: X(i), y: H - bottom + 42, class: 'be-tick', 'text-anchor': 'middle' }, W < 600 ? `${number(parameters / 1000, 1)}k` : number(parameters)),
    );
  });
  ['train', 'dev'].forEach((part) => {
    const trained = now.done.filter((row) => !row.one_hot);
    plane.append(svg('polyline', { class: `be-curve be-curve-${part}`, points: trained.map((row, i) => `${X(i)},${Y(row[part])}`).join(' ') }));
    now.done.forEach((row, i) => plane.append(svg('circle', { cx: X(i), cy: Y(row[part]), r: 5, class: `be-curve-end be-curve-${part}` })));
  });
  now.done.forEach((row, i) => plane.append(svg('text', { x: X(i), y: Y(row.dev) - 11, class: 'be-size-loss', 'text-anchor': 'middle' }, number(row.dev, 3))));
  return [curveLegend(), plane, make('p', 'be-small', say('sizes_axes'))];
};
const table = () => {
  const node = make('table', 'be-table be-size-table'), head = make('tr'), thead = make('thead'), body = make('tbody'), scroll = make('div', 'be-scroll');
  ['size', 'size_parameters', 'versus_train', 'versus_dev', 'versus_test', 'size_seconds'].forEach((key, i) => { const th = make('th', i ? 'be-n' : '', say(key)); th.scope = 'col'; head.append(th); });
  thead.append(head);
  now.done.forEach((row) => {
    const tr = make('tr');
    tr.append(make('td', '', named(row.dim, row.one_hot)), ...[number(row.parameters), number(row.train, 3), number(row.dev, 3), number(row.test, 3), number(row.seconds, 1)].map((text) => make('td', 'be-n', text)));
    body.append(tr);
  });
  node.append(thead, body);
  scroll.tabIndex = 0; // for whoever scrolls with the keyboard
  scroll.append(node);
  return scroll;
};

const draw = (again) => {
  const key = `${now?.run} ${now?.done.length}`;
  if (key === drawn && !again) return;
  drawn = key;
  place.replaceChildren(...(now?.done.length ? [...picture(), table()] : []));
};
const show = () => {
  const state = now ? now.state : 'idle', busy = showSwitches(state);
  progress.hidden = !busy;
  progress.setAttribute('aria-label', say('sizes_tab'));
  if (!busy) { status.textContent = state === 'stopped' ? say('sizes_stopped', { n: now.done.length }) : ''; return; }
  progress.max = now.tries.length;
  progress.value = Math.min(now.tries.length, now.done.length + (now.step < now.steps ? now.step / now.steps : 0));
  const fields = { size: named(...now.now), n: now.done.length + 1, of: now.tries.length, place: now.place };
  status.textContent = say(`sizes_${state}`, { ...fields, n: Math.min(fields.n, fields.of) });
};
const update = (again) => {
  const data = read();
  if (data.refused) note.textContent = both(data.refused);
  else if (data.tries && !(now && data.run < now.run)) { now = data; note.textContent = ''; }
  show();
  draw(again);
};
update(true);
watch('value', () => update(false));
onLanguage(() => update(true));
let width = root.clientWidth;
new ResizeObserver(() => {
  if (!root.clientWidth || root.clientWidth === width) return;
  width = root.clientWidth;
  draw(true);
}).observe(root);

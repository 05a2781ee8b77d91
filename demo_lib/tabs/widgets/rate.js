// The parrot rate over a whole vocabulary. value: {state: 'idle'|'working'|'done', done, label, rate, tokens, exceptions,
//   norms: [least, median, most], cosine, attracting, attractors: [{id, piece, count, norm, taken: [[id, piece, own score,
//   winner's]]}], cycles: [[[id, piece]]]}. `select`: start; `edit`: cancel.

const root = element.querySelector('.be-rate');
const tried = new Map();
let chosen = 0;
const share = (d) => `${number(100 * d.rate, 3)}%`;

const table = (heads, rows, cls = '') => {
  const node = make('table', `be-table ${cls}`), head = make('tr'), thead = make('thead'), body = make('tbody');
  heads.forEach((text, i) => { const th = make('th', i ? 'be-n' : '', text); th.scope = 'col'; head.appendChild(th); });
  rows.forEach((cells) => {
    const tr = make('tr');
    cells.forEach((cell, i) => { const td = make('td', i ? 'be-n' : ''); td.append(cell); tr.appendChild(td); });
    body.appendChild(tr);
  });
  thead.appendChild(head);
  node.append(thead, body);
  return node;
};

const attractors = (d) => {
  const box = make('div', 'be-attractors'), left = make('div'), right = make('div');
  const rows = d.attractors.map((one, k) => {
    const name = token('button', `be-pre ${k === chosen ? 'be-here' : ''}`, one.piece, one.id);
    name.type = 'button';
    name.setAttribute('aria-pressed', k === chosen);
    name.addEventListener('click', () => { chosen = k; show(); });
    return [name, number(one.count), number(one.norm, 4)];
  });
  left.append(
    make('h4', '', say('attractors')), make('p', 'be-small', say('attractors_more', { n: rows.length, all: number(d.attracting) })),
    table([say('attractor'), say('taken'), say('norm')], rows),
  );
  const one = d.attractors[chosen], piece = seenPiece(one.piece);
  const taken = one.taken.map(([id, text, own, winner]) => [token('span', 'be-taken', text, id), number(own, 4), number(winner, 4)]);
  right.append(
    make('h4', '', say('takes', { piece })), make('p', 'be-small', say('takes_more', { n: taken.length, all: number(one.count) })),
    table([say('token'), say('logit_own'), say('logit_winner', { piece })], taken),
  );
  box.append(left, right);
  return box;
};

const cycles = (d) => d.cycles.map((cycle) => {
  const row = make('div', 'be-pieces');
  cycle.forEach(([id, piece]) => row.append(token('span', 'be-piece', piece, id), '→'));
  row.append('↺');
  return row;
});

const done = (d) => {
  const line = make('p', 'be-sentence', say('rate_line', { label: d.label, percent: share(d), fail: number(d.exceptions), tokens: number(d.tokens) }));
  line.setAttribute('aria-live', 'polite');
  const [low, median, high] = d.norms.map((norm) => number(norm, 3));
  const parts = [line, make('p', 'be-why', say('rate_norms', { low, median, high, cosine: number(d.cosine, 3) }))];
  if (d.attractors.length) parts.push(attractors(d), make('h4', '', say('cycles')));
  if (d.attractors.length) parts.push(...(d.cycles.length ? cycles(d) : [make('p', 'be-small', say('no_cycles'))]));
  return parts;
};

// Two tables side by side say more than one
const compared = () => {
  const rows = [...tried.values()].map((d) => [d.label, share(d), number(d.exceptions), d.norms.map((norm) => number(norm, 3)).join(' · ')]);
  return [make('h4', '', say('rate_tables')), table([say('rate_table'), say('rate_repeat'), say('rate_fail'), say('rate_lengths')], rows, 'be-tried')];
};

const far = (d) => say('rate_working', { percent: `${number(100 * d.done)}%` });
// While it goes on only the figures change: a button that is replaced between press and release is never clicked
const moved = (d) => {
  const bar = root.querySelector('progress');
  if (d.state !== 'working' || root.dataset.state !== 'working' || !bar) return false;
  root.querySelector('.be-far').textContent = far(d);
  if (d.done) bar.value = d.done;
  return true;
};

const draw = () => {
  const d = read(), parts = [];
  if (d.refused) parts.push(notYet(d));
  if (d.state === 'working') {
    const bar = make('progress', 'be-progress'), row = make('div', 'be-controls');
    if (d.done) bar.value = d.done;
    bar.setAttribute('aria-label', say('rate_title'));
    row.append(bar, button('be-button', say('table_cancel'), '', () => trigger('edit', {})));
    parts.push(make('p', 'be-small be-far', far(d)), row);
  } else if (d.state === 'done') {
    tried.set(d.label, d);
    chosen = Math.min(chosen, Math.max(0, d.attractors.length - 1));
    parts.push(...done(d));
  } else parts.push(button('be-button be-primary', say('rate_start'), '', () => { chosen = 0; trigger('select', {}); }));
  if (tried.size > (d.state === 'done' ? 1 : 0)) parts.push(...compared());
  root.dataset.state = d.state || '';
  root.replaceChildren(...parts);
};
const show = () => inPlace(root, draw);
show();
watch('value', () => moved(read()) || show());
onLanguage(show);

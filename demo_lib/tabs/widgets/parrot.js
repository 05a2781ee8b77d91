// The model with no layers, step by step. value: {prompt: [[id, piece]], shapes: [[n, dim], [n, rows]], steps: [{input,
//   rank, top, chosen: [id, piece], longer: [piece, norm, norm of the input] or null}], odds: {en, zh}};
//   `input` and each of `top` are [id, piece, score, probability].

const root = element.querySelector('.be-parrot');
let at = 0;
// Of a quarter million tokens even the likeliest may have little: two digits are shown, however small
const percent = (share) => {
  if (share >= 0.001 || !share) return `${number(100 * share, 2)}%`;
  return `${share < 1e-9 ? (100 * share).toExponential(0) : Number((100 * share).toPrecision(2)).toFixed(Math.max(2, Math.ceil(-Math.log10(100 * share)) + 1))}%`;
};

const sentence = ({ prompt, steps }) => {
  const last = prompt[prompt.length - 1][0], pieces = steps.map((step) => seenPiece(step.chosen[1]));
  if (steps.every((step) => step.chosen[0] === last)) return say(steps.length > 1 ? 'says_again' : 'says_once', { piece: pieces[0], n: steps.length });
  return say('says', { text: pieces.join('') });
};

const tape = ({ prompt, steps }, again) => {
  const row = make('div', 'be-pieces be-tape');
  row.append(...prompt.map(([, piece]) => token('span', 'be-piece', piece)), make('span', 'be-arrow-sign', '→'));
  steps.forEach((step, k) => {
    const node = token('button', `be-pre ${k === at ? 'be-here' : ''}`, step.chosen[1]);
    node.type = 'button';
    node.setAttribute('aria-label', say('step_label', { n: k + 1, piece: seenPiece(step.chosen[1]) }));
    if (k === at) node.setAttribute('aria-current', 'step');
    node.addEventListener('click', () => { at = k; again(); });
    row.appendChild(node);
  });
  return row;
};

const scores = ({ input, rank, top, chosen }) => {
  const rows = make('div', 'be-scores'), values = top.map((one) => one[2]), base = Math.min(0, ...values, input[2]);
  rows.setAttribute('role', 'table');
  const add = (cells, cls, role = 'cell') => {
    const row = make('div', `be-score ${cls}`);
    row.setAttribute('role', 'row');
    cells.forEach((cell, i) => { cell.setAttribute('role', i === 1 ? 'presentation' : role); row.appendChild(cell); });
    rows.appendChild(row);
  };
  const line = ([id, piece, score, probability], place) => {
    const name = token('span', 'be-score-name', piece, id), track = make('span', 'be-bar-track'), bar = make('span', 'be-bar-fill');
    if (place) name.prepend(make('small', 'be-place', number(place)));
    bar.style.width = `${(100 * (score - base)) / (Math.max(...values) - base || 1)}%`;
    track.appendChild(bar);
    const cells = [name, track, make('span', 'be-n', number(score, 3)), make('span', 'be-n', percent(probability))];
    add(cells, `${id === input[0] ? 'be-own' : ''} ${id === chosen[0] ? 'be-chosen' : ''}`);
  };
  add([make('span', '', say('token')), make('span'), make('span', 'be-n', say('score')), make('span', 'be-n', say('probability'))], 'be-score-head', 'columnheader');
  top.forEach((one, i) => line(one, i + 1));
  if (!top.some((one) => one[0] === input[0])) line(input, rank);
  return rows;
};

panel(root, 'steps', (data) => {
  at = 0;
  const box = make('div');
  const fillIn = () => {
    const step = data.steps[at], line = make('p', 'be-sentence', sentence(data)), [x, all] = data.shapes;
    line.setAttribute('aria-live', 'polite');
    const own = phrase('p', 'be-small', 'parrot_own', {
      n: at + 1, piece: token('span', 'be-piece', step.input[1]), rank: number(step.rank), all: number(all[1]), percent: percent(step.input[3]),
    });
    const parts = [line, tape(data, () => inPlace(box, fillIn)), make('p', 'be-small be-shapes', say('parrot_shapes', { x: `[${x.join(', ')}]`, scores: `[${all.join(', ')}]` })), own];
    if (step.longer) {
      const [piece, winner, loser] = step.longer;
      parts.push(phrase('p', 'be-small', 'parrot_longer', { piece: token('span', 'be-piece', piece), winner: number(winner, 4), own: number(loser, 4) }));
    }
    box.replaceChildren(...parts, scores(step), make('p', 'be-small be-odds', both(data.odds)));
  };
  fillIn();
  return [box];
});

// Two vectors in the plane, dragged or typed; dot, norms and cosine at once. value: {vectors: [[x, y], [x, y]]}, both ways.

const root = element.querySelector('.be-ruler');
const NS = 'http://www.w3.org/2000/svg';
const W = 420, UNIT = 17, LIMIT = 12;
let vectors = [[3, 1], [1, 3]];

const svg = (tag, attributes) => {
  const node = document.createElementNS(NS, tag);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  return node;
};
const px = ([x, y]) => [W / 2 + x * UNIT, W / 2 - y * UNIT];
const clamp = (x) => Math.max(-LIMIT, Math.min(LIMIT, x));
const dot = (a, b) => a[0] * b[0] + a[1] * b[1];

const picture = svg('svg', { viewBox: `0 0 ${W} ${W}`, class: 'be-plane be-ruler-plane', role: 'group' });
const arrows = [0, 1].map((k) => {
  const line = svg('line', { x1: W / 2, y1: W / 2, class: `be-arrow be-arrow-${k}` });
  const grip = svg('circle', { r: 10, class: `be-grip be-grip-${k}`, tabindex: 0, role: 'slider', 'aria-valuemin': -LIMIT, 'aria-valuemax': LIMIT });
  const name = svg('text', { class: 'be-axis-name' });
  name.textContent = 'ab'[k];
  return { line, grip, name };
});
for (let i = -LIMIT; i <= LIMIT; i += 2) {
  picture.append(svg('line', { x1: W / 2 + i * UNIT, x2: W / 2 + i * UNIT, y1: 0, y2: W, class: i ? 'be-grid' : 'be-axis' }));
  picture.append(svg('line', { y1: W / 2 + i * UNIT, y2: W / 2 + i * UNIT, x1: 0, x2: W, class: i ? 'be-grid' : 'be-axis' }));
}
arrows.forEach(({ line, grip, name }) => picture.append(line, grip, name));
const inputs = [0, 1].map(() => [0, 1].map(() => make('input', 'be-coordinate')));
const figures = make('dl', 'be-figures');

let timer = null;
const send = () => {
  clearTimeout(timer);
  timer = setTimeout(() => { props.value = JSON.stringify({ vectors }); trigger('change'); }, 150);
};
const show = (typed) => {
  arrows.forEach(({ line, grip, name }, k) => {
    const [x, y] = px(vectors[k].map(clamp));
    line.setAttribute('x2', x);
    line.setAttribute('y2', y);
    grip.setAttribute('cx', x);
    grip.setAttribute('cy', y);
    name.setAttribute('x', x + 13);
    name.setAttribute('y', y - 8);
    grip.setAttribute('aria-label', say('vector', { name: 'ab'[k] }));
    grip.setAttribute('aria-valuetext', vectors[k].join(', '));
    grip.setAttribute('aria-valuenow', vectors[k][0]);
    if (typed !== k) inputs[k].forEach((input, axis) => { input.value = vectors[k][axis]; });
  });
  const [a, b] = vectors, na = Math.hypot(...a), nb = Math.hypot(...b), cosine = na && nb ? dot(a, b) / (na * nb) : null;
  const rows = [['dot', number(dot(a, b), 2)], ['norm_a', number(na, 3)], ['norm_b', number(nb, 3)],
    ['cosine', cosine === null ? say('no_cosine') : number(Math.max(-1, Math.min(1, cosine)), 3)], ['distance', number(Math.hypot(a[0] - b[0], a[1] - b[1]), 3)]];
  figures.replaceChildren(...rows.map(([key, value]) => {
    const row = make('div');
    row.append(make('dt', '', say(`ruler_${key}`)), make('dd', '', value));
    return row;
  }));
};

arrows.forEach(({ grip }, k) => {
  const move = (event) => {
    const box = picture.getBoundingClientRect(), s = W / box.width;
    const to = [(event.clientX - box.left) * s, (event.clientY - box.top) * s];
    vectors[k] = [(to[0] - W / 2) / UNIT, (W / 2 - to[1]) / UNIT].map((x) => Math.round(clamp(x) * 10) / 10);
    show();
  };
  grip.addEventListener('pointerdown', (event) => { event.preventDefault(); grip.focus(); grip.setPointerCapture(event.pointerId); grip.onpointermove = move; });
  grip.addEventListener('pointerup', () => { grip.onpointermove = null; send(); });
  grip.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [-0.5, 0], ArrowRight: [0.5, 0], ArrowUp: [0, 0.5], ArrowDown: [0, -0.5] }[event.key];
    if (!step) return;
    event.preventDefault();
    vectors[k] = vectors[k].map((x, axis) => clamp(x + step[axis]));
    show();
    send();
  });
});
inputs.forEach((pair, k) => pair.forEach((input, axis) => {
  input.type = 'number';
  input.step = 'any';
  input.addEventListener('input', () => {
    const x = Number(input.value);
    if (input.value === '' || !Number.isFinite(x) || Math.abs(x) > 1e6) return;
    vectors[k][axis] = x;
    show(k);
    send();
  });
}));

const draw = () => {
  const value = read().vectors;
  if (Array.isArray(value) && value.length === 2 && value.every((v) => Array.isArray(v) && v.length === 2 && v.every(Number.isFinite))) vectors = value.map((v) => [...v]);
  const side = make('div', 'be-ruler-side');
  inputs.forEach((pair, k) => {
    const row = make('div', 'be-coordinates');
    row.append(make('b', `be-name-${k}`, `${'ab'[k]} = (`), pair[0], ', ', pair[1], ' )');
    pair.forEach((input, axis) => input.setAttribute('aria-label', `${'ab'[k]}, ${'xy'[axis]}`));
    side.appendChild(row);
  });
  const tries = make('div', 'be-actions');
  [[[1, 1], [1, 1]], [[1, 1], [2, 2]], [[1, 1], [10, 10]], [[3, 1], [-1, 3]]].forEach((pair) => {
    tries.appendChild(button('be-button', pair.map((v) => `(${v.join(', ')})`).join(' · '), '', () => { vectors = pair.map((v) => [...v]); show(); send(); }));
  });
  side.append(tries, figures, make('p', 'be-small', say('ruler_note')));
  root.replaceChildren(picture, side);
  show();
};
draw();
watch('value', draw);
onLanguage(draw);

// Two vectors in the plane, dragged or typed; dot, norms and cosine at once. value: {vectors: [[x, y], [x, y]]}, both ways.

const root = element.querySelector('.be-ruler');
const W = 440, MOST = 1e6; // a tip can be typed anywhere up to MOST; the picture's scale follows
let vectors = [[3, 1], [1, 3]], reach = 4, timer = null;

const dot = (a, b) => a[0] * b[0] + a[1] * b[1];
const px = ([x, y]) => [W / 2 + (x * W) / 2 / reach, W / 2 - (y * W) / 2 / reach];
const step = () => { const whole = 10 ** Math.floor(Math.log10(reach)); return reach / whole >= 5 ? whole : reach / whole >= 2 ? whole / 2 : whole / 5; };
// the smallest of 1, 2, 4, 8 times a power of ten that holds both tips with some room
const fit = () => {
  const far = 1.12 * Math.max(0.1, ...vectors.flat().map(Math.abs)), ten = 10 ** Math.floor(Math.log10(far));
  reach = ten * [1, 2, 4, 8, 10].find((x) => x * ten >= far - 1e-12);
};

const picture = svg('svg', { viewBox: `0 0 ${W} ${W}`, class: 'be-plane be-ruler-plane', role: 'group' });
const paper = svg('g', { 'aria-hidden': 'true' });
const arrows = [0, 1].map((k) => ({
  line: svg('line', { x1: W / 2, y1: W / 2, class: `be-arrow be-arrow-${k}` }),
  grip: svg('g', { class: `be-grip be-grip-${k}`, tabindex: 0, role: 'slider' }),
  hit: svg('circle', { r: 24, class: 'be-hit' }),
  tip: svg('circle', { r: 10 }),
  name: svg('text', { class: 'be-vector-name' }, 'ab'[k]),
}));
picture.appendChild(paper);
arrows.forEach(({ line, grip, hit, tip, name }) => { grip.append(hit, tip, name); picture.append(line, grip); });
const inputs = [0, 1].map(() => [0, 1].map(() => make('input', 'be-coordinate')));
const figures = make('dl', 'be-figures'), formula = make('p', 'be-formula'), wrong = make('p', 'be-note be-bad be-ruler-wrong');
wrong.setAttribute('role', 'alert');
formula.setAttribute('role', 'status');

const rule = () => {
  const lines = [], by = step(), n = Math.floor(reach / by + 1e-9);
  for (let i = -n; i <= n; i += 1) {
    const [x, y] = px([i * by, i * by]), cls = i ? 'be-grid' : 'be-axis', text = String(Number((i * by).toPrecision(6)));
    lines.push(svg('line', { x1: x, x2: x, y1: 0, y2: W, class: cls }), svg('line', { y1: y, y2: y, x1: 0, x2: W, class: cls }));
    if (i % 2 || !i || Math.abs(i) === n) continue;
    lines.push(svg('text', { x, y: W / 2 + 16, 'text-anchor': 'middle', class: 'be-tick' }, text), svg('text', { x: W / 2 - 6, y: y + 4, 'text-anchor': 'end', class: 'be-tick' }, text));
  }
  paper.replaceChildren(...lines);
};

const bad = (input) => input.getAttribute('aria-invalid') === 'true';
const accept = (all) => {
  all.forEach((input) => input.setAttribute('aria-invalid', 'false'));
  wrong.textContent = inputs.flat().some(bad) ? say('ruler_wrong') : '';
};
const send = () => {
  clearTimeout(timer);
  timer = setTimeout(() => { props.value = JSON.stringify({ vectors }); trigger('change'); }, 150);
};

const measure = () => {
  const [a, b] = vectors, na = Math.hypot(...a), nb = Math.hypot(...b), d = dot(a, b);
  const cosine = na && nb ? Math.max(-1, Math.min(1, d / (na * nb))) : null;
  const angle = cosine === null ? say('no_cosine') : `${number((Math.acos(cosine) * 180) / Math.PI, 1)}°`;
  const rows = [['dot', number(d, 2)], ['norm_a', number(na, 3)], ['norm_b', number(nb, 3)],
    ['cosine', cosine === null ? say('no_cosine') : number(cosine, 3)], ['angle', angle], ['distance', number(Math.hypot(a[0] - b[0], a[1] - b[1]), 3)]];
  figures.replaceChildren(...rows.map(([key, value]) => {
    const row = make('div');
    row.append(make('dt', '', say(`ruler_${key}`)), make('dd', '', value));
    return row;
  }));
  formula.textContent = cosine === null ? '' : `a · b = ${number(na, 3)} × ${number(nb, 3)} × ${number(cosine, 3)} = ${number(d, 2)}`;
};

const show = (typed) => {
  rule();
  // where b's tip lies over a's, a's is a ring around it, and both can be taken
  const [a, b] = vectors.map(px), over = Math.hypot(a[0] - b[0], a[1] - b[1]) < 14, away = over ? 32 : 20;
  arrows[0].tip.setAttribute('r', over ? 18 : 10);
  arrows[1].hit.setAttribute('r', over ? 11 : 24);
  arrows.forEach(({ line, grip, hit, tip, name }, k) => {
    const [x, y] = px(vectors[k]), [u, v] = vectors[k], far = Math.hypot(u, v) || 1;
    line.setAttribute('x2', x);
    line.setAttribute('y2', y);
    [hit, tip].forEach((circle) => { circle.setAttribute('cx', x); circle.setAttribute('cy', y); });
    // the name stands beyond the tip, and a little aside, so that two vectors on one line keep theirs apart
    name.setAttribute('x', x + (away * u) / far + (k ? -12 : 12));
    name.setAttribute('y', y - (away * v) / far + 6);
    grip.setAttribute('aria-label', say('vector', { name: 'ab'[k] }));
    grip.setAttribute('aria-valuemin', -MOST);
    grip.setAttribute('aria-valuemax', MOST);
    grip.setAttribute('aria-valuenow', u);
    grip.setAttribute('aria-valuetext', vectors[k].join(', '));
    // what was typed stays as it was typed, also what is no number
    inputs[k].forEach((input, axis) => { if (typed !== k && !bad(input)) input.value = vectors[k][axis]; });
  });
  measure();
};

arrows.forEach(({ grip }, k) => {
  const move = (event) => {
    const box = picture.getBoundingClientRect(), unit = (W / box.width) * ((2 * reach) / W);
    const tip = [(event.clientX - box.left) * unit - reach, reach - (event.clientY - box.top) * unit];
    const fine = 10 ** -Math.floor(Math.log10(reach / 40)); // to a tenth where the picture reaches to 4
    vectors[k] = tip.map((x) => Math.round(Math.max(-reach, Math.min(reach, x)) * fine) / fine);
    accept(inputs[k]);
    show();
  };
  const drop = () => { if (grip.onpointermove) { grip.onpointermove = null; fit(); show(); send(); } };
  grip.addEventListener('pointerdown', (event) => { event.preventDefault(); grip.focus(); grip.setPointerCapture(event.pointerId); grip.onpointermove = move; });
  grip.addEventListener('pointerup', drop);
  grip.addEventListener('pointercancel', drop);
  grip.addEventListener('keydown', (event) => {
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const by = step() / 2;
    vectors[k] = vectors[k].map((x, axis) => Math.max(-MOST, Math.min(MOST, Math.round((x + by * way[axis]) * 1e3) / 1e3)));
    accept(inputs[k]);
    fit();
    show();
    send();
  });
});
inputs.forEach((pair, k) => pair.forEach((input, axis) => {
  input.type = 'number';
  input.step = 'any';
  input.addEventListener('input', () => {
    const x = Number(input.value), good = input.value !== '' && Number.isFinite(x) && Math.abs(x) <= MOST;
    input.setAttribute('aria-invalid', String(!good));
    if (!good) { wrong.textContent = say('ruler_wrong'); return; }
    accept([input]);
    vectors[k][axis] = x;
    fit();
    show(k);
    send();
  });
}));

const draw = () => {
  const value = read().vectors;
  const same = JSON.stringify(value) === JSON.stringify(vectors);
  if (!same && Array.isArray(value) && value.length === 2 && value.every((v) => Array.isArray(v) && v.length === 2 && v.every(Number.isFinite))) vectors = value.map((v) => [...v]);
  if (root.contains(document.activeElement) && same && root.childNodes.length && root.dataset.lang === language()) return; // our own change comes back
  root.dataset.lang = language();
  picture.setAttribute('aria-label', say('ruler_tab'));
  const side = make('div', 'be-ruler-side');
  inputs.forEach((pair, k) => {
    const row = make('div', `be-coordinates be-coordinates-${k}`);
    row.append(make('b', '', `${'ab'[k]} = (`), pair[0], ', ', pair[1], ' )');
    pair.forEach((input, axis) => input.setAttribute('aria-label', `${'ab'[k]}, ${'xy'[axis]}`));
    side.appendChild(row);
  });
  const tries = make('div', 'be-actions');
  [[[1, 1], [1, 1]], [[1, 1], [2, 2]], [[1, 1], [10, 10]], [[3, 1], [-1, 3]]].forEach((pair) => {
    tries.appendChild(button('be-button', pair.map((v) => `(${v.join(', ')})`).join(' · '), '', () => { vectors = pair.map((v) => [...v]); accept(inputs.flat()); fit(); show(); send(); }));
  });
  side.append(wrong, tries, figures, formula, make('p', 'be-small', say('ruler_note')));
  root.replaceChildren(picture, side);
  fit();
  show();
};
draw();
watch('value', draw);
onLanguage(draw);

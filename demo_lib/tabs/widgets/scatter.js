// Words in the plane. value: {points: [{x, y, word, id, norm, of}], x: {en, zh}, y: {en, zh}, line: {en, zh},
//   ends?: [[from, to], [from, to]] of named axes, notes: [{en, zh}]}. `id` -1: the mean of several rows.

const root = element.querySelector('.be-scatter');
const PAD = 34, wide = () => Math.max(300, Math.min(1232, element.clientWidth || 900));
const pen = document.createElement('canvas').getContext('2d');

// Where each point goes: the same scale on both axes, so that distances can be seen; named axes have units of their own
const placing = (data, W, H) => {
  const range = (values) => [Math.min(...values), Math.max(...values)];
  const more = data.ends ? [0, 1] : []; // both ends of a named axis are in the picture
  const [x0, x1] = range([...data.points.map((p) => p.x), ...more]), [y0, y1] = range([...data.points.map((p) => p.y), ...more]);
  let sx = (W - 2 * PAD - 90) / Math.max(x1 - x0, 1e-9), sy = (H - 2 * PAD - 40) / Math.max(y1 - y0, 1e-9);
  if (!data.ends) sx = sy = Math.min(sx, sy);
  return (x, y) => [W / 2 - 20 + (x - (x0 + x1) / 2) * sx, H / 2 - (y - (y0 + y1) / 2) * sy];
};

// A label goes right of its point, or left, above or below: where it meets no other label and no other point
const labelAt = (x, y, width, size, taken, W, H) => {
  const places = [[x + 10, y], [x - 10 - width, y], [x - width / 2, y - size], [x - width / 2, y + size], [x + 8, y - size], [x + 8, y + size], [x - 8 - width, y + size], [x - 8 - width, y - size]];
  const free = ([left, middle]) => left > 2 && left + width < W - 2 && middle > size && middle < H - size &&
    taken.every((b) => left > b[2] || left + width < b[0] || middle - size * 0.55 > b[3] || middle + size * 0.55 < b[1]);
  return places.find(free);
};

const axes = (picture, data, at, W, H) => {
  const lines = data.ends ? [0, 1] : [0], [right, up] = data.ends || [[], []];
  lines.forEach((value) => {
    const [x, y] = at(value, value), cls = value ? 'be-axis be-axis-end' : 'be-axis';
    if (x > 0 && x < W) picture.appendChild(svg('line', { x1: x, x2: x, y1: 0, y2: H, class: cls }));
    if (y > 0 && y < H) picture.appendChild(svg('line', { x1: 0, x2: W, y1: y, y2: y, class: cls }));
    if (!data.ends) return;
    picture.appendChild(svg('text', { x: x + 4, y: H - 28, class: 'be-axis-name' }, `${value} ${right[value]}`));
    picture.appendChild(svg('text', { x: 6, y: y - 5, class: 'be-axis-name' }, `${value} ${up[value]}`));
  });
  picture.appendChild(svg('text', { x: W - 8, y: H - 8, class: 'be-axis-name', 'text-anchor': 'end' }, `${both(data.x)} →`));
  picture.appendChild(svg('text', { x: 8, y: 18, class: 'be-axis-name' }, `↑ ${both(data.y)}`));
};

const tell = (p) => {
  const id = p.id < 0 ? say('mean_row') : `id ${p.id}`;
  const line = say('map_point', { word: seenPiece(p.word), id, norm: number(p.norm, 3), x: number(p.x, 3), y: number(p.y, 3) });
  return p.of ? `${line} · ${say('near_of', { word: p.of })}` : line;
};

const pictureOf = (data, info) => {
  const W = wide(), H = Math.round(Math.max(360, Math.min(600, W * 0.6))), at = placing(data, W, H), size = W > 700 ? 19 : 16;
  const picture = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'group', class: 'be-plane', 'aria-label': say('map_label', { words: data.points.map((p) => p.word).join(', ') }) });
  axes(picture, data, at, W, H);
  const boxes = (points) => points.map((p) => at(p.x, p.y)).map(([x, y]) => [x - 5, y - 5, x + 5, y + 5]);
  const taken = boxes(data.points), words = boxes(data.points.filter((p) => !p.of));
  const groups = data.points.map((p) => {
    const [x, y] = at(p.x, p.y), word = seenPiece(p.word), shown = [...word].length > 24 ? `${[...word].slice(0, 23).join('')}…` : word;
    const group = svg('g', { class: p.of ? 'be-point be-near-point' : 'be-point', role: 'img', 'aria-label': tell(p) });
    group.appendChild(svg('circle', { cx: x, cy: y, r: p.of ? 4.5 : 6.5 }));
    const high = p.of ? size - 3 : size;
    pen.font = `${high}px ${getComputedStyle(root).fontFamily}`;
    const length = pen.measureText(shown).width;
    // the words that were chosen come first: where there is no room beside neighbours, they stand over them
    const place = labelAt(x, y, length, high, taken, W, H) || (p.of ? null : labelAt(x, y, length, high, words, W, H));
    if (place) [taken, words].forEach((list) => list.push([place[0], place[1] - high * 0.5, place[0] + length, place[1] + high * 0.5]));
    // any other label without room is read by pointing at the point
    const [lx, ly] = place || [x + 10, y];
    group.appendChild(svg('text', { x: lx, y: ly + high * 0.36, 'font-size': high, class: place ? '' : 'be-crowded' }, shown));
    group.addEventListener('focus', () => pick(groups.indexOf(group)));
    return group;
  });
  picture.append(...groups.filter((_, i) => data.points[i].of), ...groups.filter((_, i) => !data.points[i].of)); // words over neighbours
  const pick = (i) => {
    info.textContent = tell(data.points[i]);
    groups.forEach((group, k) => group.classList.toggle('be-told', k === i));
  };
  // whichever is nearest to the pointer or the finger, if it is near
  const nearest = (event) => {
    const box = picture.getBoundingClientRect(), x = ((event.clientX - box.left) * W) / box.width, y = ((event.clientY - box.top) * H) / box.height;
    const far = data.points.map((p) => at(p.x, p.y)).map(([u, v]) => Math.hypot(u - x, v - y)), least = Math.min(...far);
    if (least < 30) pick(far.indexOf(least));
  };
  ['pointermove', 'pointerdown'].forEach((name) => picture.addEventListener(name, nearest));
  const last = groups.length - 1, next = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  roving(groups, (i, key) => (key in next ? Math.max(0, Math.min(last, i + next[key])) : null));
  return picture;
};

let drawn = null;
panel(root, 'points', (data) => {
  const info = make('p', 'be-point-info', say('map_hint')), place = make('div');
  info.setAttribute('role', 'status');
  drawn = () => place.replaceChildren(pictureOf(data, info));
  drawn();
  const notes = (data.notes || []).map((note) => make('p', 'be-note be-warn', both(note)));
  return [make('p', 'be-small', both(data.line)), info, place, ...notes];
});
// letters keep their size on a narrow page: the picture is made anew for each width
let width = wide();
const sizes = new ResizeObserver(() => {
  if (!element.isConnected) { sizes.disconnect(); return; }
  if (wide() === width || !drawn || !element.clientWidth) return;
  width = wide();
  inPlace(root, drawn);
});
sizes.observe(element);

// Points in the plane with their words. value: {points: [{x, y, word, id, norm, near}], x: {en, zh}, y: {en, zh}, line: {en, zh}}

const root = element.querySelector('.be-scatter');
const NS = 'http://www.w3.org/2000/svg';
const svg = (tag, attributes, text) => {
  const node = document.createElementNS(NS, tag);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  if (text !== undefined) node.textContent = text;
  return node;
};

const draw = () => {
  const data = read();
  if (!data.points) { root.replaceChildren(notYet(data)); return; }
  const W = 900, H = 560, pad = 50, xs = data.points.map((p) => p.x), ys = data.points.map((p) => p.y);
  const span = Math.max(Math.max(...xs) - Math.min(...xs), (Math.max(...ys) - Math.min(...ys)) * W / H, 1e-9);
  const midX = (Math.max(...xs) + Math.min(...xs)) / 2, midY = (Math.max(...ys) + Math.min(...ys)) / 2;
  const scale = (W - 2 * pad - 80) / span; // the same on both axes, so that distances can be seen
  const at = (p) => [W / 2 + (p.x - midX) * scale, H / 2 - (p.y - midY) * scale];
  const picture = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', class: 'be-plane' });
  picture.appendChild(svg('title', {}, say('map_label', { words: data.points.map((p) => p.word).join(', ') })));
  const [ox, oy] = at({ x: 0, y: 0 });
  if (ox > 0 && ox < W) picture.appendChild(svg('line', { x1: ox, x2: ox, y1: 0, y2: H, class: 'be-axis' }));
  if (oy > 0 && oy < H) picture.appendChild(svg('line', { x1: 0, x2: W, y1: oy, y2: oy, class: 'be-axis' }));
  const info = make('p', 'be-small be-point-info', say('map_hint'));
  info.setAttribute('role', 'status');
  const taken = [];
  data.points.forEach((p) => {
    const [x, y] = at(p), group = svg('g', { class: p.near ? 'be-point be-near-point' : 'be-point', tabindex: 0, role: 'img', 'aria-label': `${p.word}, id ${p.id}` });
    group.appendChild(svg('circle', { cx: x, cy: y, r: p.near ? 4 : 6 }));
    // a label that would lie on another moves down a line
    let ly = y + 5;
    while (taken.some(([tx, ty]) => Math.abs(tx - x) < 70 && Math.abs(ty - ly) < 17)) ly += 17;
    taken.push([x, ly]);
    group.appendChild(svg('text', { x: x + 10, y: ly }, seen(encoder.encode(p.word))));
    const tell = () => { info.textContent = say('map_point', { word: p.word, id: p.id, norm: number(p.norm, 3), x: number(p.x, 3), y: number(p.y, 3) }); };
    group.addEventListener('pointerenter', tell);
    group.addEventListener('focus', tell);
    picture.appendChild(group);
  });
  picture.appendChild(svg('text', { x: W - 8, y: H - 10, class: 'be-axis-name', 'text-anchor': 'end' }, `${both(data.x)} →`));
  picture.appendChild(svg('text', { x: 8, y: 20, class: 'be-axis-name' }, `↑ ${both(data.y)}`));
  root.replaceChildren(make('p', 'be-small', both(data.line)), picture, info);
};
draw();
watch('value', draw);
onLanguage(draw);

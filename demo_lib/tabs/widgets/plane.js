// The characters in the plane, each a node of its own that is moved from moment to moment. For lab.js.

const SIGNS = {
  vowel: (r) => svg('circle', { r }),
  consonant: (r) => svg('rect', { x: -0.88 * r, y: -0.88 * r, width: 1.76 * r, height: 1.76 * r, rx: 2 }),
  mark: (r) => svg('path', { d: `M0 ${-1.25 * r}L${1.25 * r} 0L0 ${1.25 * r}L${-1.25 * r} 0Z` }),
  other: (r) => svg('path', { d: `M0 ${-1.15 * r}L${1.15 * r} ${0.9 * r}L${-1.15 * r} ${0.9 * r}Z` }),
};
const kindLegend = (kinds) => {
  const line = make('p', 'be-plot-legend');
  kinds.forEach((kind) => {
    const item = make('span', 'be-plot-kind'), sign = svg('svg', { viewBox: '-11 -11 22 22', width: 20, height: 20, 'aria-hidden': 'true' }), group = svg('g', { class: `be-letter be-letter-${kind}` });
    group.append(SIGNS[kind](8));
    sign.append(group);
    item.append(sign, say(`kind_${kind}`));
    line.append(item);
  });
  return line;
};
const mapNote = (d) => {
  const [x, y] = d.explained.map((share) => `${number(100 * share, 1)}%`);
  return d.how === 'pca' ? say('how_pca', { dim: d.dim, x, y }) : say(d.how === 'line' ? 'how_line' : 'how_plane');
};

// {nodes, move(points, moments), shown(), mark(picked)}. The origin stays in the middle, and one scale serves both axes,
// so that angles are what they are; it grows where a point would leave the picture, and never shrinks in one training.
const mapOf = (d, W, pick) => {
  const H = Math.round(Math.max(320, Math.min(460, W * 0.78))), k = d.letters.length, r = k > 60 ? 8 : W < 420 ? 10 : 12;
  const picture = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'group', class: 'be-plane be-lab-map', 'aria-label': say('lab_map') });
  const arrows = [0, 1].map((i) => svg('line', { x1: W / 2, y1: H / 2, class: `be-arrow be-arrow-${i}`, visibility: 'hidden' }));
  picture.append(svg('line', { x1: 0, x2: W, y1: H / 2, y2: H / 2, class: 'be-axis' }));
  if (d.how !== 'line') picture.append(svg('line', { x1: W / 2, x2: W / 2, y1: 0, y2: H, class: 'be-axis' }));
  picture.append(...arrows);
  let reach = [1e-6, 1e-6], last = d.points, places = [];
  const letters = d.letters.map(([character, kind], i) => {
    const text = visible(character)[1], group = svg('g', { class: `be-letter be-letter-${kind}`, role: 'button', 'aria-pressed': 'false', 'aria-label': `${text}, ${say(`kind_${kind}`)}` });
    group.dataset.key = character;
    group.append(SIGNS[kind](r), svg('text', { 'text-anchor': 'middle', dy: '0.35em', 'font-size': r * 1.3 }, text));
    group.addEventListener('click', () => pick(i));
    group.addEventListener('keydown', (event) => { if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); pick(i); } });
    picture.append(group);
    return group;
  });
  const next = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  roving(letters, (i, key) => (key in next ? (i + next[key] + k) % k : null));
  const widen = (points) => points.forEach(([x, y]) => { reach = [Math.max(reach[0], Math.abs(x)), Math.max(reach[1], Math.abs(y))]; });
  const move = (points, moments) => {
    last = points;
    (moments || [points]).forEach(widen);
    const scale = d.how === 'line' ? (W / 2 - 2 * r) / reach[0] : Math.min((W / 2 - 2 * r) / reach[0], (H / 2 - 2 * r) / reach[1]);
    places = points.map(([x, y], i) => [W / 2 + x * scale, d.how === 'line' ? H / 2 + ((i % 9) - 4) * (H / 11) : H / 2 - y * scale]);
    places.forEach(([x, y], i) => { letters[i].style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`; });
  };
  const mark = (picked) => {
    letters.forEach((group, i) => {
      group.setAttribute('aria-pressed', String(picked.includes(i)));
      group.classList.toggle('be-told', picked.includes(i));
    });
    arrows.forEach((arrow, i) => {
      const at = d.how === 'line' ? undefined : places[picked[i]];
      arrow.setAttribute('visibility', at ? 'visible' : 'hidden');
      if (at) { arrow.setAttribute('x2', at[0]); arrow.setAttribute('y2', at[1]); }
    });
  };
  move(d.points, null);
  const kinds = Object.keys(SIGNS).filter((kind) => d.letters.some((one) => one[1] === kind));
  return { nodes: [make('h4', '', say('lab_map')), kindLegend(kinds), picture, make('p', 'be-small', mapNote(d))], move, mark, shown: () => last };
};

// The share of the vocabulary against the size of the model. value: {points: [{label, total, share, tied, chosen}]}
// Tied models are discs, untied ones diamonds. With the keyboard: Tab to the plot, then the arrow keys.

const root = element.querySelector('.be-shares');
const short = (n) => {
  const power = Math.min(4, Math.floor(Math.log10(n) / 3)), value = n / 1000 ** power;
  return `${number(value, value < 10 && value % 1 ? 1 : 0)}${['', 'K', 'M', 'B', 'T'][power]}`;
};
const pen = document.createElement('canvas').getContext('2d');
const nameOf = (label) => (typeof label === 'string' ? label : both(label));
const tell = (p) => say('plot_point', {
  label: nameOf(p.label), total: number(p.total), share: `${number(100 * p.share, 1)}%`, tied: say(p.tied ? 'plot_tied' : 'plot_untied'),
});
const mark = (p, x, y, r) => (p.tied
  ? svg('circle', { cx: x, cy: y, r })
  : svg('path', { d: `M${x} ${y - 1.25 * r}L${x + 1.25 * r} ${y}L${x} ${y + 1.25 * r}L${x - 1.25 * r} ${y}Z` }));

const axes = (picture, box, low, high, top, X, Y) => {
  const { W, H, left, bottom } = box;
  for (let power = Math.ceil(low - 1e-9); power <= high; power += 1) {
    const x = X(10 ** power);
    picture.append(svg('line', { x1: x, x2: x, y1: 10, y2: H - bottom, class: 'be-grid' }), svg('text', { x, y: H - bottom + 18, class: 'be-tick', 'text-anchor': 'middle' }, short(10 ** power)));
  }
  for (let share = 0; share <= top + 1e-9; share += top > 0.45 ? 0.2 : 0.1) {
    const y = Y(share);
    picture.append(svg('line', { x1: left, x2: W - 10, y1: y, y2: y, class: share ? 'be-grid' : 'be-axis' }), svg('text', { x: left - 8, y: y + 4, class: 'be-tick', 'text-anchor': 'end' }, `${Math.round(100 * share)}%`));
  }
  picture.append(svg('text', { x: W - 10, y: H - 6, class: 'be-axis-name', 'text-anchor': 'end' }, say('plot_x')), svg('text', { x: left + 6, y: 22, class: 'be-axis-name' }, say('plot_y')));
};

const legend = () => {
  const line = make('p', 'be-plot-legend');
  [['be-tied', true, 'plot_tied'], ['be-untied', false, 'plot_untied'], ['be-marked', true, 'plot_chosen']].forEach(([cls, tied, key]) => {
    const item = make('span', 'be-plot-kind'), sign = svg('svg', { viewBox: '-1 -1 22 22', width: 22, height: 22, 'aria-hidden': 'true' }), group = svg('g', { class: `be-model ${cls}` });
    group.appendChild(mark({ tied }, 10, 10, 5.5));
    if (key === 'plot_chosen') group.prepend(svg('circle', { cx: 10, cy: 10, r: 9, class: 'be-ring' }));
    sign.appendChild(group);
    item.append(sign, say(key));
    line.appendChild(item);
  });
  return line;
};

// A label goes right of its mark, or left, above or below: where it meets no other label and no other chosen mark
const labelled = (group, p, x, y, W, taken) => {
  const name = nameOf(p.label);
  pen.font = `600 ${W < 600 ? 12.5 : 14}px ${getComputedStyle(root).fontFamily}`;
  const wide = pen.measureText(name).width;
  const rows = [0, 18, -18, 36, -36, 54, -54, 72, -72].flatMap((dy) => [[x + 16, y + 5 + dy], [x - 16 - wide, y + 5 + dy]]);
  const places = [...rows.slice(0, 2), [x - wide / 2, y - 18], [x - wide / 2, y + 28], ...rows.slice(2)];
  const free = ([left, ly]) => left > 4 && left + wide < W - 4 && ly > 14 && taken.every(([a, b, top, end]) => left > b || left + wide < a || ly - 14 > end || ly + 4 < top);
  const [left, ly] = places.find(free) || places[0];
  taken.push([left, left + wide, ly - 14, ly + 4]);
  group.appendChild(svg('text', { x: left, y: ly }, name));
};

const draw = (data) => {
  const W = Math.max(300, root.clientWidth), H = W < 600 ? 340 : 440, left = 46, bottom = 44;
  const logs = data.points.map((p) => Math.log10(p.total));
  const low = Math.min(7.9, ...logs) - 0.05, high = Math.max(12, ...logs), top = Math.max(0.7, ...data.points.map((p) => p.share));
  const X = (n) => left + ((Math.log10(n) - low) / (high - low)) * (W - left - 24), Y = (share) => H - bottom - (share / top) * (H - bottom - 30);
  const picture = svg('svg', { viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: 'group', class: 'be-plane be-shares-plane', 'aria-label': say('plot_label', { n: data.points.length }) });
  axes(picture, { W, H, left, bottom }, low, high, top, X, Y);
  const info = make('p', 'be-small be-point-info', say('plot_hint'));
  info.setAttribute('role', 'status');
  const sorted = [...data.points].sort((a, b) => a.total - b.total);
  const taken = sorted.filter((p) => p.chosen).map((p) => [X(p.total) - 13, X(p.total) + 13, Y(p.share) - 13, Y(p.share) + 13]);
  taken.push([left, left + 190, 8, 26]); // the name of the axis
  const groups = sorted.map((p) => {
    const x = X(p.total), y = Y(p.share), group = svg('g', { class: `be-model ${p.tied ? 'be-tied' : 'be-untied'}${p.chosen ? ' be-marked' : ''}`, role: 'img', 'aria-label': tell(p) });
    group.append(svg('circle', { cx: x, cy: y, r: 13, class: p.chosen ? 'be-ring' : 'be-reach' }), mark(p, x, y, p.chosen ? 7 : 5.5));
    if (p.chosen) labelled(group, p, x, y, W, taken);
    ['pointerenter', 'focus'].forEach((event) => group.addEventListener(event, () => { info.textContent = tell(p); }));
    return group;
  });
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 };
  roving(groups, (i, key) => (key in step ? (i + step[key] + groups.length) % groups.length : null));
  // the chosen ones last, so that they lie on top
  picture.append(...groups.filter((_, k) => !sorted[k].chosen), ...groups.filter((_, k) => sorted[k].chosen));
  return [legend(), picture, info];
};
panel(root, 'points', draw);
let width = root.clientWidth;
new ResizeObserver(() => {
  if (root.clientWidth === width) return;
  width = root.clientWidth;
  if (read().points) root.replaceChildren(...draw(read()));
}).observe(root);

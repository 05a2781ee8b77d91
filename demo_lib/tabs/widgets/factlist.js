// Facts as rows of words and numbers. With them, where there is one: a histogram of lengths with the rows at its ends, or
// points in the plane. value: {rows: [{en, zh, value}], line: {en, zh}, histogram: {edges, tokens, unused}, longest:
//   [[id, piece, norm]], shortest, points: [[x, y]], caption: {en, zh}}, or {rows: [], hint: {en, zh}}

const root = element.querySelector('.be-factlist');

// Enough digits to tell the longest row from the shortest
const digitsFor = ({ edges }) => (edges[edges.length - 1] - edges[0] < 0.1 ? 4 : 3);
const listOf = (title, rows, digits) => {
  const box = make('div', 'be-near'), table = make('table', 'be-table'), body = make('tbody');
  box.appendChild(make('h4', '', title));
  rows.forEach(([id, piece, norm]) => {
    const tr = make('tr'), name = make('td');
    fillPiece(name, piece);
    name.appendChild(make('small', 'be-id', id));
    tr.append(name, make('td', 'be-n', number(norm, digits)));
    body.appendChild(tr);
  });
  table.appendChild(body);
  table.setAttribute('aria-label', title);
  box.appendChild(table);
  return box;
};

const binsOf = ({ edges, tokens, unused }) => {
  const fold = make('details', 'be-bins'), table = make('table', 'be-table'), body = make('tbody');
  fold.appendChild(make('summary', '', say('as_table')));
  tokens.forEach((count, i) => {
    if (!count && !unused[i]) return;
    const tr = make('tr'), name = make('td', '', `${number(edges[i], 4)} – ${number(edges[i + 1], 4)}`);
    tr.append(name, make('td', 'be-n', number(count)), make('td', 'be-n be-unused', unused[i] ? number(unused[i]) : ''));
    body.appendChild(tr);
  });
  table.appendChild(body);
  const scroll = make('div', 'be-scroll be-bins-scroll');
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', say('histogram'));
  scroll.appendChild(table);
  fold.appendChild(scroll);
  return fold;
};

const histogramOf = (data) => {
  const { edges, tokens, unused } = data.histogram, most = Math.max(...tokens.map((n, i) => n + unused[i]), 1), bars = make('div', 'be-histogram');
  bars.setAttribute('role', 'img');
  bars.setAttribute('aria-label', both(data.line));
  tokens.forEach((count, i) => {
    const bin = make('span', 'be-histogram-bin');
    [[unused[i], 'be-histogram-bar be-unused-bar'], [count, 'be-histogram-bar']].forEach(([n, cls]) => {
      if (!n) return;
      const bar = make('span', cls);
      bar.style.height = `max(1px, ${(100 * n) / most}%)`;
      bin.appendChild(bar);
    });
    bin.title = `${number(edges[i], 4)} – ${number(edges[i + 1], 4)}: ${number(count + unused[i])}`;
    bars.appendChild(bin);
  });
  const axis = make('div', 'be-histogram-axis'), digits = digitsFor(data.histogram);
  axis.append(make('span', '', number(edges[0], digits)), make('span', '', say('norm')), make('span', '', number(edges[edges.length - 1], digits)));
  const legend = make('p', 'be-small');
  if (unused.some(Boolean)) legend.append(make('span', 'be-swatch'), say('with_token'), make('span', 'be-swatch be-unused-bar'), say('without_token'));
  const lists = make('div', 'be-near-lists');
  lists.append(listOf(say('longest'), data.longest, digits), listOf(say('shortest'), data.shortest, digits));
  return [make('h4', '', say('histogram')), make('p', 'be-small', both(data.line)), make('p', 'be-small be-most', say('histogram_most', { n: number(most) })), bars, axis, legend, binsOf(data.histogram), lists];
};

const pointsOf = (data) => {
  const W = 420, pad = 24, all = data.points, figure = make('figure', 'be-figure');
  const at = ([x, y]) => [W / 2 + x * (W - 2 * pad), W / 2 - y * (W - 2 * pad)];
  const picture = svg('svg', { viewBox: `0 0 ${W} ${W}`, role: 'img', class: 'be-plane', 'aria-label': both(data.caption) });
  const pairs = all.flatMap((a, i) => all.slice(i + 1).map((b) => [a, b, Math.hypot(a[0] - b[0], a[1] - b[1])]));
  const least = Math.min(...pairs.map((pair) => pair[2])), most = Math.max(...pairs.map((pair) => pair[2]));
  pairs.forEach(([a, b, far]) => {
    const cls = far < least * 1.002 ? 'be-closest' : far > most * 0.998 ? 'be-farthest' : '';
    if (!cls) return;
    const [[x1, y1], [x2, y2]] = [at(a), at(b)];
    picture.appendChild(svg('line', { x1, y1, x2, y2, class: cls }));
  });
  all.forEach((point) => { const [cx, cy] = at(point); picture.appendChild(svg('circle', { cx, cy, r: 6, class: 'be-dot' })); });
  figure.append(picture, make('figcaption', 'be-small', both(data.caption)));
  return figure;
};

panel(root, 'rows', (data) => {
  if (data.hint) return [make('p', 'be-small', both(data.hint))];
  const list = make('dl', 'be-figures');
  data.rows.forEach((fact) => {
    const row = make('div');
    row.append(make('dt', '', both(fact)), make('dd', '', typeof fact.value === 'string' ? fact.value : both(fact.value)));
    list.appendChild(row);
  });
  root.classList.toggle('be-beside', !!data.points);
  return [list, ...(data.histogram ? histogramOf(data) : []), ...(data.points ? [pointsOf(data)] : [])];
});

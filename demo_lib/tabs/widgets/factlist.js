// Facts of a table, as rows of words and numbers, with a histogram of norms. value: {rows: [{en, zh, value}], histogram:
//   {edges, counts}, longest: [[id, piece, norm]], shortest: [...], line: {en, zh}}

const root = element.querySelector('.be-factlist');
const listOf = (title, rows) => {
  const box = make('div', 'be-near'), table = make('table', 'be-table'), body = make('tbody');
  box.appendChild(make('h4', '', title));
  rows.forEach(([id, piece, norm]) => {
    const tr = make('tr'), name = make('td');
    fill(name, encoder.encode(piece));
    name.appendChild(make('small', 'be-id', id));
    tr.append(name, make('td', 'be-n', number(norm, 3)));
    body.appendChild(tr);
  });
  table.appendChild(body);
  box.appendChild(table);
  return box;
};
const draw = () => {
  const data = read();
  if (!data.rows) { root.replaceChildren(notYet(data)); return; }
  const list = make('dl', 'be-figures');
  data.rows.forEach((fact) => {
    const row = make('div');
    row.append(make('dt', '', both(fact)), make('dd', '', typeof fact.value === 'string' ? fact.value : both(fact.value)));
    list.appendChild(row);
  });
  if (!data.histogram) { root.replaceChildren(list); return; }
  const { edges, counts } = data.histogram, most = Math.max(...counts), bars = make('div', 'be-histogram');
  bars.setAttribute('role', 'img');
  bars.setAttribute('aria-label', both(data.line));
  counts.forEach((count, i) => {
    const bar = make('span', 'be-histogram-bar');
    bar.style.height = `${count ? Math.max(1.5, (100 * count) / most) : 0}%`;
    bar.title = `${number(edges[i], 3)} – ${number(edges[i + 1], 3)}: ${number(count)}`;
    bars.appendChild(bar);
  });
  const axis = make('div', 'be-histogram-axis');
  axis.append(make('span', '', number(edges[0], 2)), make('span', '', say('norm')), make('span', '', number(edges[edges.length - 1], 2)));
  const lists = make('div', 'be-near-lists');
  lists.append(listOf(say('longest'), data.longest), listOf(say('shortest'), data.shortest));
  root.replaceChildren(list, make('h4', '', say('histogram')), make('p', 'be-small', both(data.line)), bars, axis, lists);
};
draw();
watch('value', draw);
onLanguage(draw);

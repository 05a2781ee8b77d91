// What two vocabularies share. value: {labels: [a, b], all: [both, only a, only b], rows: [[kind, both, only a, only b]]}
// or {need: true} where no second one is chosen.

const root = element.querySelector('.be-shared');
const percent = (n, of) => `${number((100 * n) / Math.max(1, of), 1)}%`;
const ends = ['be-shared-a', 'be-shared-both', 'be-shared-b'];
// [only a, both, only b] from the left to the right, as the two overlap
const strip = ([both_n, a, b], most, label) => {
  const track = make('span', 'be-shared-track'), sum = both_n + a + b;
  track.style.width = `${(100 * sum) / most}%`;
  [a, both_n, b].forEach((n, i) => {
    const part = make('span', ends[i]);
    part.style.flexGrow = n;
    if (n) track.appendChild(part);
  });
  track.setAttribute('role', 'img');
  track.setAttribute('aria-label', label);
  track.title = label;
  return track;
};
let order = { column: null, down: false };
const draw = () => {
  const data = read();
  if (data.need) { root.replaceChildren(make('p', 'be-note', say('two_need'))); return; }
  if (!data.all) { root.replaceChildren(notYet(data)); return; }
  const [first, second] = data.labels, names = [say('only_in', { label: first }), say('in_both'), say('only_in', { label: second })];
  const tell = ([both_n, a, b]) => `${names[0]}: ${number(a)} · ${names[1]}: ${number(both_n)} · ${names[2]}: ${number(b)}`;
  const [both_n, a, b] = data.all;
  const line = make('p', 'be-sentence', say('two_line', { n: number(both_n), a: percent(both_n, both_n + a), b: percent(both_n, both_n + b), first, second }));
  const legend = make('p', 'be-stack-legend');
  names.forEach((name, i) => { const item = make('span', 'be-stack-kind'); item.append(make('i', ends[i]), name); legend.appendChild(item); });
  const table = make('table', 'be-table be-shared-table'), top = make('thead'), head = make('tr'), body = make('tbody');
  // a script's name, or its share of what is in both, or a count: by which column the rows are sorted
  const key = [null, (row) => row[1] / (row[1] + row[2] + row[3]), (row) => row[2], (row) => row[1], (row) => row[3]];
  [say('by_kind_two'), say('in_both_share'), ...names].forEach((name, i) => {
    const cell = make('th', i > 1 ? 'be-n' : ''), here = order.column === i, down = here && !order.down;
    cell.scope = 'col';
    cell.dataset.key = `sort-${i}`;
    cell.setAttribute('aria-sort', here ? (order.down ? 'descending' : 'ascending') : 'none');
    cell.appendChild(button('be-sort', `${name}${here ? (order.down ? ' ↓' : ' ↑') : ''}`, say(down ? 'sort_down' : 'sort_up', { name }), () => { order = { column: i, down }; inPlace(root, draw); }));
    head.appendChild(cell);
  });
  const named = (row) => say(`kind_${row[0]}`), by = key[order.column];
  const compare = (p, q) => (by ? by(p) - by(q) : named(p).localeCompare(named(q), language()));
  const rows = order.column === null ? data.rows : [...data.rows].sort((p, q) => (order.down ? compare(q, p) : compare(p, q)));
  top.appendChild(head);
  [...rows.map(([kind, ...n]) => [say(`kind_${kind}`), n]), [say('total'), data.all]].forEach(([name, n], i) => {
    const row = make('tr', i === data.rows.length ? 'be-row-total' : ''), cell = make('td', 'be-shared-cell'), title = make('th', '', name);
    title.scope = 'row';
    cell.appendChild(strip(n, both_n + a + b, `${name}: ${tell(n)}`));
    row.append(title, cell, make('td', 'be-n', number(n[1])), make('td', 'be-n', number(n[0])), make('td', 'be-n', number(n[2])));
    body.appendChild(row);
  });
  table.append(top, body);
  const scroll = make('div', 'be-scroll');
  scroll.tabIndex = 0; // for whoever scrolls with the keyboard
  scroll.appendChild(table);
  const save = button('be-button', say('download'), '', () => download('overlap.csv', 'text/csv', `\ufeff${csvOf([['script', 'in both', `only in ${first}`, `only in ${second}`], ...data.rows, ['total', ...data.all]])}`));
  const foot = make('div', 'be-actions');
  foot.appendChild(save);
  root.replaceChildren(line, legend, scroll, foot);
};
draw();
watch('value', draw);
onLanguage(draw);

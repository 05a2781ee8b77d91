// One name as examples, and the shapes of the whole list. value: {rows: [[context, target, x, y]], name, mark, shapes}

const root = element.querySelector('.be-windows');
const shape = (sizes) => `(${sizes.map((n) => number(n)).join(', ')}${sizes.length === 1 ? ',' : ''})`;
const bytes = (n) => {
  const power = n < 1000 ? 0 : n < 1e6 ? 1 : n < 1e9 ? 2 : 3;
  return `${number(n / 1000 ** power, power ? 1 : 0)} ${['B', 'kB', 'MB', 'GB'][power]}`;
};

const cell = (character, mark, cls) => make('span', `be-cell ${cls} ${character === mark ? 'be-cell-mark' : ''}`, visible(character)[1]);
const rowOf = ([context, target, x, y], i, d) => {
  const tr = make('tr'), left = make('td', 'be-window'), right = make('td'), [...characters] = context;
  characters.forEach((one) => left.append(cell(one, d.mark, 'be-cell-x')));
  left.append(make('span', 'be-to', '→'), cell(target, d.mark, 'be-cell-y'));
  right.append(make('code', '', `[${x.join(', ')}]`));
  tr.append(make('td', 'be-window-place', String(i + 1)), left, right, make('td', 'be-window-y', String(y)));
  return tr;
};

const tableOf = (d) => {
  const table = make('table', 'be-table be-window-table'), head = make('tr'), thead = make('thead'), body = make('tbody');
  ['', say('windows_head'), 'X', 'Y'].forEach((text) => { const th = make('th', '', text); th.scope = 'col'; head.append(th); });
  thead.append(head);
  d.rows.forEach((row, i) => body.append(rowOf(row, i, d)));
  table.append(thead, body);
  return table;
};

const figures = (d) => {
  const s = d.shapes, box = make('div', 'be-shapes'), rule = make('p', 'be-shape-rule'), list = make('dl', 'be-figures');
  const index = make('span', 'be-shape-x', s.x.map((n) => number(n)).join(', ')), rest = make('span', 'be-shape-c', number(s.table[1]));
  rule.append(`C[X]: (`, index, ', ', rest, ')');
  const rows = [
    ['X', shape(s.x), bytes(s.index_bytes)], ['Y', shape(s.y), ''], ['C', shape(s.table), ''],
    ['C[X]', shape(s.cx), bytes(s.embedded_bytes)],
    [say('shapes_hot'), shape(s.one_hot), bytes(s.one_hot_bytes)],
  ];
  rows.forEach(([name, value, size]) => {
    const row = make('div'), told = make('dd', '', value);
    if (size) told.append(make('small', 'be-under', size));
    row.append(make('dt', '', name), told);
    list.append(row);
  });
  const fields = { numbers: number(s.one_hot_numbers), zero: `${number(100 * s.zero_share, 1)}%`, hot: bytes(s.one_hot_bytes), lookup: bytes(s.lookup_bytes) };
  box.append(rule, make('p', 'be-small', say('shapes_rule')), list, make('p', 'be-small', say('shapes_saved', fields)));
  return box;
};

panel(root, 'rows', (d) => {
  const line = make('p', 'be-sentence', say('windows_line', { name: d.name, n: d.rows.length })), box = make('div', 'be-window-columns'), scroll = make('div', 'be-scroll');
  scroll.tabIndex = 0; // for whoever scrolls with the keyboard
  scroll.append(tableOf(d));
  box.append(scroll, figures(d));
  return [line, box];
});

// A table with a column for each model, in groups of rows, under a sentence and stacked bars. value: {line: {en, zh},
//   bars: [{label, parts: [[kind, {en, zh}, share]]}], columns: [{label, error, loading}],
//   groups: [{title: {en, zh}, rows: [{key, name: {en, zh}, cells: [cell]}]}], foot: [{en, zh}]}
// A cell is null, a string, {en, zh}, or {t, s}: what is read first, and a line below it.

const root = element.querySelector('.be-ledger');
const textOf = (value) => (typeof value === 'string' ? value : both(value));

const stacked = (bars) => {
  const box = make('div', 'be-stacks'), kinds = new Map();
  bars.forEach((bar) => {
    const row = make('div', 'be-stack'), track = make('div', 'be-stack-track');
    const told = bar.parts.map(([, name, share]) => `${both(name)} ${number(100 * share, 1)}%`).join(', ');
    track.setAttribute('role', 'img');
    track.setAttribute('aria-label', `${textOf(bar.label)}: ${told}`);
    bar.parts.forEach(([kind, name, share]) => {
      kinds.set(kind, name);
      const part = make('span', `be-part be-part-${kind}`, share >= 0.07 ? `${number(100 * share)}%` : '');
      part.style.flexGrow = share;
      part.title = `${both(name)}: ${number(100 * share, 1)}%`;
      track.appendChild(part);
    });
    row.append(make('span', 'be-stack-label', textOf(bar.label)), track);
    box.appendChild(row);
  });
  const order = ['input_table', 'output_table', 'attention', 'feed_forward', 'rest'], legend = make('p', 'be-stack-legend');
  order.filter((kind) => kinds.has(kind)).forEach((kind) => {
    const item = make('span', 'be-stack-kind');
    item.append(make('i', `be-part-${kind}`), both(kinds.get(kind)));
    legend.appendChild(item);
  });
  box.appendChild(legend);
  return box;
};

const cellOf = (cell) => {
  const td = make('td', 'be-n');
  if (cell === null) td.textContent = '–';
  else if (typeof cell === 'object' && 't' in cell) {
    td.textContent = textOf(cell.t);
    if (cell.s && textOf(cell.s)) td.appendChild(make('small', 'be-under', textOf(cell.s)));
  } else td.textContent = textOf(cell);
  return td;
};

const headOf = (column) => {
  const th = make('th', 'be-n', textOf(column.label));
  th.scope = 'col';
  if (column.loading) th.appendChild(make('small', 'be-under', say('loading')));
  if (column.error) {
    const why = make('small', 'be-under be-bad', both(column.error));
    why.setAttribute('role', 'alert');
    th.appendChild(why);
  }
  return th;
};

const tableOf = (data) => {
  const scroll = make('div', 'be-scroll'), node = make('table', 'be-table be-ledger-table'), head = make('tr'), thead = make('thead');
  scroll.tabIndex = 0; // for whoever scrolls with the keyboard
  scroll.dataset.key = 'table';
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', data.groups.map((group) => both(group.title)).join(', ') || say('models'));
  node.style.setProperty('--be-columns', data.columns.length);
  head.append(make('td', 'be-corner'), ...data.columns.map(headOf));
  thead.appendChild(head);
  node.appendChild(thead);
  data.groups.forEach((group) => {
    const body = make('tbody'), title = make('tr', 'be-group-title'), name = make('th', '', both(group.title));
    name.colSpan = data.columns.length + 1;
    name.scope = 'rowgroup';
    title.appendChild(name);
    body.appendChild(title);
    group.rows.forEach((row) => {
      const tr = make('tr'), th = make('th', '', both(row.name));
      tr.dataset.row = row.key;
      th.scope = 'row';
      tr.append(th, ...row.cells.map(cellOf));
      body.appendChild(tr);
    });
    node.appendChild(body);
  });
  scroll.appendChild(node);
  return scroll;
};

panel(root, 'columns', (data) => {
  const made = [];
  if (data.line) {
    const line = make('p', 'be-sentence', both(data.line));
    line.setAttribute('aria-live', 'polite');
    made.push(line);
  }
  if (data.bars?.length) made.push(stacked(data.bars));
  return [...made, tableOf(data), ...(data.foot || []).map((note) => make('p', 'be-small', both(note)))];
});

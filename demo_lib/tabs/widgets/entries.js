// Tokens that fit a search, in a table that can be sorted. value: {label, other: label | null, found, of, order, down,
//   rows: [[id, hex, kind, characters, id in the other or -1]]}. `edit`: {order}. `select`: {id}.

const root = element.querySelector('.be-entries');
let chosen = null;
const head = (data) => {
  const row = make('tr');
  const columns = [['id', 'id'], ['text', 'text'], ['bytes', 'bytes'], ['characters', 'characters'], ['hex', ''], ['kind', ''], ...(data.other ? [['other', '']] : [])];
  columns.forEach(([key, order]) => {
    const cell = make('th', `be-col-${key}`), name = say(`col_${key}`, { label: data.other });
    cell.scope = 'col';
    if (order) {
      const here = data.order === order, down = here && !data.down;
      cell.setAttribute('aria-sort', here ? (data.down ? 'descending' : 'ascending') : 'none');
      cell.dataset.key = order;
      cell.appendChild(button('be-sort', `${name}${here ? (data.down ? ' ↓' : ' ↑') : ''}`, say(down ? 'sort_down' : 'sort_up', { name }), () => trigger('edit', { order })));
    } else cell.textContent = name;
    row.appendChild(cell);
  });
  return row;
};
const body = (data, rows) => data.rows.map(([id, hex, kind, characters, other]) => {
  const row = make('tr', id === chosen ? 'be-here' : ''), bytes = fromHex(hex), cell = make('td', 'be-col-text');
  const go = button('be-walk', '', say('choose', { piece: seen(bytes), id }), () => {
    chosen = id;
    rows.forEach((one) => one.classList.toggle('be-here', one === row));
    trigger('select', { id });
  });
  fill(go, bytes);
  cell.appendChild(go);
  rows.push(row);
  const add = (cls, text) => row.appendChild(make('td', cls, text));
  add('be-col-id', id);
  row.appendChild(cell);
  add('be-col-bytes', bytes.length);
  add('be-col-characters', characters < 0 ? '–' : characters);
  add('be-col-hex', toHex(bytes.subarray(0, 24)) + (bytes.length > 24 ? ' …' : ''));
  add('be-col-kind', say(`kind_${kind}`));
  if (data.other) add('be-col-other', other < 0 ? '–' : other);
  return row;
});
panel(root, 'rows', (data) => {
  const line = make('p', 'be-sentence', say('found', { n: number(data.found), of: number(data.of), label: data.label }));
  line.setAttribute('role', 'status');
  if (!data.rows.length) return [line, make('p', 'be-small', say('nothing'))];
  const few = make('p', 'be-small', data.rows.length < data.found ? say('shown', { n: number(data.rows.length) }) : '');
  const table = make('table', 'be-table be-entry-table'), top = make('thead'), rest = make('tbody'), scroll = make('div', 'be-scroll be-entry-scroll'), rows = [];
  top.appendChild(head(data));
  rest.append(...body(data, rows));
  table.append(top, rest);
  table.setAttribute('aria-label', say('table_label'));
  scroll.appendChild(table);
  const step = { ArrowDown: 1, ArrowUp: -1 };
  roving(rows.map((row) => row.querySelector('button')), (i, key) => (key in step ? i + step[key] : null));
  return [line, few, scroll];
});

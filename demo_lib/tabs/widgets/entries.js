// Tokens that fit a search, in a table that can be sorted. value: {label, other: label | null, found, of, order, down,
//   rows: [[id, hex, kind, characters, id in the other or -1]], search}. `edit`: {order}. `select`: {id}. `search` names
//   what was searched for: the token that was chosen is chosen in that search only.

const root = element.querySelector('.be-entries');
let chosen = null, search = null;
const LONG = 120; // characters of a token in its row; its card has all of them
const head = (data) => {
  const row = make('tr');
  const columns = ['id', 'text', 'bytes', 'characters', 'hex', 'kind', ...(data.other ? ['other'] : [])];
  columns.forEach((key) => {
    const cell = make('th', `be-col-${key}`), name = say(`col_${key}`, { label: data.other });
    const here = data.order === key, down = here && !data.down;
    cell.scope = 'col';
    cell.setAttribute('aria-sort', here ? (data.down ? 'descending' : 'ascending') : 'none');
    cell.dataset.key = key;
    cell.appendChild(button('be-sort', `${name}${here ? (data.down ? ' ↓' : ' ↑') : ''}`, say(down ? 'sort_down' : 'sort_up', { name }), () => trigger('edit', { order: key })));
    row.appendChild(cell);
  });
  return row;
};
const body = (data, rows) => data.rows.map(([id, hex, kind, characters, other]) => {
  const row = make('tr', id === chosen ? 'be-here' : ''), bytes = fromHex(hex), cell = make('td', 'be-col-text');
  // all of the row can be pressed; the button is for the keyboard, and its press comes here too
  const go = button('be-walk', '', say('choose', { piece: seen(bytes), id }), () => {});
  row.addEventListener('click', ({ target }) => {
    if (!go.contains(target) && String(window.getSelection())) return; // somebody marks a piece of it for copying
    chosen = id;
    rows.forEach((one) => one.classList.toggle('be-here', one === row));
    trigger('select', { id });
  });
  fill(go, bytes);
  if (go.textContent.length > LONG) go.replaceChildren(`${[...go.textContent].slice(0, LONG).join('')}…`);
  cell.appendChild(go);
  rows.push(row);
  const add = (cls, text) => row.appendChild(make('td', cls, text));
  add('be-col-id', id);
  row.appendChild(cell);
  add('be-col-bytes', bytes.length);
  add('be-col-characters', characters < 0 ? '–' : characters);
  add('be-col-hex', toHex(bytes));
  row.lastChild.title = toHex(bytes);
  add('be-col-kind', say(`kind_${kind}`));
  if (data.other) add('be-col-other', other < 0 ? '–' : other);
  return row;
});
panel(root, 'rows', (data) => {
  if (data.search !== search) [search, chosen] = [data.search, null];
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

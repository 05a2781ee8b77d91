// The report on a corpus. value: {run, lines: [sentence], sections: [{name, title, note, columns: [{name, kind}], rows,
//   plot}]}; a text is a string, or {en, zh} where the languages differ; kind: n, piece, long or text. A cell is a number,
//   a text, null, or {v, low, high}. `select`: {kind: 'html'|'csv'|'json'}, the report as a file.

const root = element.querySelector('.be-report');
let run = null, sorts = {}, making = false;

const worth = (cell) => (cell && typeof cell === 'object' && 'v' in cell ? cell.v : told(cell));
const sorted = (section) => {
  const sort = sorts[section.name];
  if (!sort) return section.rows;
  const sign = sort.down ? -1 : 1;
  return [...section.rows].sort((one, other) => {
    const [a, b] = [worth(one[sort.i]), worth(other[sort.i])];
    if (a === null || b === null) return (a === null) - (b === null);
    return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
  });
};
const cellOf = (cell, kind) => {
  const td = make('td', kind === 'n' ? 'be-n' : `be-cell-${kind}`);
  if (cell === null) td.textContent = kind === 'n' ? '–' : '';
  else if (kind === 'piece' && typeof cell === 'string') td.append(pieceOf(encoder.encode(cell)));
  else if (kind === 'n') {
    td.textContent = shown(worth(cell));
    if (typeof cell === 'object') td.append(make('small', 'be-under', say('range', { low: shown(cell.low), high: shown(cell.high) })));
  } else td.textContent = told(cell);
  return td;
};
const headOf = (section, redraw) => {
  const tr = make('tr');
  section.columns.forEach((column, i) => {
    const th = make('th', column.kind === 'n' ? 'be-n' : `be-cell-${column.kind}`), name = told(column.name), sort = sorts[section.name];
    const here = sort?.i === i;
    th.scope = 'col';
    th.setAttribute('aria-sort', here ? (sort.down ? 'descending' : 'ascending') : 'none');
    th.append(button('be-sort', `${name}${here ? (sort.down ? ' ↓' : ' ↑') : ''}`, say('sort_by', { name }), () => {
      sorts[section.name] = { i, down: here ? !sort.down : column.kind === 'n' };
      redraw();
    }));
    tr.append(th);
  });
  return tr;
};
const tableOf = (section) => {
  const scroll = make('div', 'be-scroll be-report-scroll'), node = make('table', 'be-table'), thead = make('thead'), body = make('tbody');
  const fillIn = () => inPlace(scroll, () => {
    thead.replaceChildren(headOf(section, fillIn));
    body.replaceChildren(...sorted(section).map((row) => {
      const tr = make('tr');
      tr.append(...row.map((cell, i) => cellOf(cell, section.columns[i].kind)));
      return tr;
    }));
  });
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', told(section.title));
  node.append(thead, body);
  scroll.append(node);
  fillIn();
  return scroll;
};
const sectionOf = (section) => {
  const box = make('section', 'be-report-section');
  box.dataset.key = section.name;
  box.append(make('h3', '', told(section.title)), make('p', 'be-small', told(section.note)));
  if (section.plot) box.append(barsOf(section.plot));
  box.append(tableOf(section));
  return box;
};
const savers = () => {
  const box = make('div', 'be-actions');
  ['html', 'csv', 'json'].forEach((kind) => {
    const press = button('be-button', say(making === kind ? 'save_making' : `save_${kind}`), '', () => { making = kind; mark(); trigger('select', { kind }); });
    press.dataset.kind = kind;
    press.disabled = !!making;
    box.append(press);
  });
  return box;
};
const mark = () => root.querySelector('.be-actions')?.replaceWith(savers());

panel(root, 'lines', (data) => {
  if (data.run !== run) [run, sorts] = [data.run, {}];
  const card = make('section', 'be-report-summary'), list = make('ul');
  const line = make('p', 'be-sentence', told(data.lines[0]));
  line.setAttribute('aria-live', 'polite');
  list.append(...data.lines.slice(1).map((one) => make('li', '', told(one))));
  card.append(line, list, savers());
  return [card, ...data.sections.map(sectionOf)];
});
const made = () => {
  if (!element.isConnected) { window.removeEventListener('both-ends-handout', made); return; }
  making = false;
  mark();
};
window.addEventListener('both-ends-handout', made);

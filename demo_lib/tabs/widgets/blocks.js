// Counting with more and more characters of context. value: {rows: [{block, rows, contexts, cells, seen, empty, dev,
//   impossible, positions, best, smoothing}], smoothing}. A loss that is infinite is null.

const root = element.querySelector('.be-blocks');
const large = (n) => {
  if (n < 1e9) return number(n);
  const power = Math.floor(Math.log10(n)), up = [...String(power)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');
  return `${number(n / 10 ** power, 2)} × 10${up}`;
};
const percent = (share) => (share > 0.9999 && share < 1 ? say('nearly_all') : `${number(100 * share, 2)}%`);

panel(root, 'rows', (d) => {
  const table = make('table', 'be-table be-block-table'), head = make('tr'), thead = make('thead'), body = make('tbody'), scroll = make('div', 'be-scroll');
  const heads = [say('block_n'), say('block_contexts'), say('block_cells'), say('block_empty'), say('block_dev', { k: d.smoothing }), say('block_best')];
  heads.forEach((text, i) => { const th = make('th', i && i < 5 ? 'be-n' : '', text); th.scope = 'col'; head.append(th); });
  thead.append(head);
  const least = Math.min(...d.rows.map((row) => row.best)), most = Math.max(...d.rows.map((row) => row.best));
  d.rows.forEach((row) => {
    const tr = make('tr', row.best === least && d.rows.length > 1 ? 'be-best' : ''), best = make('td', 'be-block-best'), track = make('span', 'be-bar-track'), fill = make('span', 'be-bar-fill');
    const two = (seen, of) => { const td = make('td', 'be-n', number(seen)); td.append(make('small', 'be-under', say('block_of', { n: large(of) }))); return td; };
    const dev = make('td', 'be-n', row.dev === null ? '∞' : number(row.dev, 3));
    if (row.impossible) dev.append(make('small', 'be-under', say('block_impossible', { n: number(row.impossible), share: `${number((100 * row.impossible) / row.positions, 2)}%` })));
    fill.style.width = `${100 * (0.12 + (0.88 * (row.best - least)) / Math.max(most - least, 1e-9))}%`;
    track.append(fill);
    const told = make('span', 'be-block-told', number(row.best, 3));
    told.append(make('small', 'be-under', say('block_with', { k: Number(row.smoothing.toPrecision(2)) })));
    best.append(told, track);
    tr.append(make('td', 'be-block-n', String(row.block)), two(row.contexts, row.rows), two(row.seen, row.cells), make('td', 'be-n', percent(row.empty)), dev, best);
    body.append(tr);
  });
  table.append(thead, body);
  scroll.tabIndex = 0; // for whoever scrolls with the keyboard
  scroll.append(table);
  return [scroll];
});

// The network beside counting. value: {verdict: {en, zh}, block, uniform, rows: [{key: pairs|counting|model, train, dev,
//   test, numbers, smoothing}]}

const root = element.querySelector('.be-versus');
panel(root, 'rows', (d) => {
  const table = make('table', 'be-table be-versus-table'), head = make('tr'), thead = make('thead'), body = make('tbody'), scroll = make('div', 'be-scroll');
  ['', say('versus_dev'), say('versus_test'), say('versus_train'), say('versus_numbers')].forEach((text, i) => { const th = make('th', i > 1 ? 'be-n' : '', text); th.scope = 'col'; head.append(th); });
  thead.append(head);
  const rows = [{ key: 'uniform', train: d.uniform, dev: d.uniform, test: d.uniform, numbers: 0 }, ...d.rows];
  const losses = rows.map((row) => row.dev), best = Math.min(...losses), most = Math.max(...losses), loss = (x) => (x === null ? '∞' : number(x, 3));
  rows.forEach((row) => {
    const tr = make('tr', row.key === 'model' ? 'be-own' : ''), name = make('th', '', say(`versus_${row.key}`, { block: d.block })), dev = make('td', 'be-versus-dev'), track = make('span', 'be-bar-track'), fill = make('span', 'be-bar-fill');
    name.scope = 'row';
    tr.dataset.row = row.key;
    if (row.smoothing) name.append(make('small', 'be-under', say('versus_smoothing', { k: Number(row.smoothing.toPrecision(2)) })));
    fill.style.width = `${(100 * row.dev) / most}%`;
    track.append(fill);
    dev.append(make('span', `be-versus-loss ${row.dev === best ? 'be-least' : ''}`, loss(row.dev)), track);
    tr.append(name, dev, make('td', 'be-n', loss(row.test)), make('td', 'be-n', loss(row.train)), make('td', 'be-n', number(row.numbers)));
    body.append(tr);
  });
  table.append(thead, body);
  scroll.tabIndex = 0; // for whoever scrolls with the keyboard
  scroll.append(table);
  return [make('p', 'be-verdict', both(d.verdict)), scroll];
});

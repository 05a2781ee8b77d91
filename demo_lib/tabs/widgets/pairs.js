// Counting pairs, as a heat map that is a table. value: {letters, counts, totals, size, positions, losses: {smoothing, all,
//   train, dev, test, impossible, dev_positions}}. Losses that are infinite are null.

const root = element.querySelector('.be-pairs');
let probable = false, at = null;
const letter = (character) => visible(character)[1];
const chance = (d, i, j) => {
  const below = d.totals[i] + d.size * d.losses.smoothing;
  return below ? (d.counts[i][j] + d.losses.smoothing) / below : 0;
};
const loss = (x) => (x === null ? '∞' : number(x, 4));

const tell = (d, i, j) => {
  const p = chance(d, i, j), fields = { first: letter(d.letters[i]), next: letter(d.letters[j]), n: number(d.counts[i][j]), of: number(d.totals[i]) };
  return say('pair_told', { ...fields, p: p ? number(p, 4) : '0', loss: p ? number(-Math.log(p), 3) : '∞' });
};

const matrix = (d, info) => {
  const n = d.letters.length, values = d.counts.map((row, i) => row.map((count, j) => (probable ? chance(d, i, j) : count)));
  const most = Math.max(...values.flat(), 1e-9);
  const cell = (i, j) => {
    const value = values[i][j], td = make('td', value ? '' : 'be-none', !value ? '·' : probable ? (value < 0.005 ? '0' : number(value, 2).replace(/^0/, '')) : String(value));
    td.setAttribute('aria-label', tell(d, i, j));
    return tint(td, Math.sqrt(value / most));
  };
  const told = (i, j) => { at = [d.letters[i], d.letters[j]]; info.textContent = tell(d, i, j); };
  const drawn = heatTable(n, 'be-many be-pair-table', say('pairs_label'), (i) => make('th', '', letter(d.letters[i])), cell, told);
  const flat = d.counts.flat(), was = (at || ['a', 'n']).map((one) => d.letters.indexOf(one)), top = flat.indexOf(Math.max(...flat));
  drawn.tell(...(was.every((i) => i >= 0) ? was : [Math.floor(top / n), top % n]));
  return drawn.table;
};

const figures = (d) => {
  const line = make('p', 'be-why'), l = d.losses;
  line.textContent = say('pairs_losses', { all: loss(l.all), train: loss(l.train), dev: loss(l.dev), test: loss(l.test) })
    + (l.impossible ? ` ${say('pairs_impossible', { n: number(l.impossible), of: number(l.dev_positions) })}` : '');
  return line;
};

panel(root, 'letters', (d) => {
  const info = make('p', 'be-small be-pair-info'), scroll = make('div', 'be-scroll'), bar = make('div', 'be-segmented');
  info.setAttribute('role', 'status');
  const draw = () => {
    scroll.replaceChildren(matrix(d, info));
    [...bar.children].forEach((node, i) => node.setAttribute('aria-pressed', String(probable === !!i)));
  };
  ['counts', 'chances'].forEach((key, i) => bar.append(button('be-segment', say(`pairs_${key}`), '', () => { probable = !!i; draw(); })));
  bar.setAttribute('role', 'group');
  draw();
  const parts = [make('p', 'be-sentence', say('pairs_line', { loss: loss(d.losses.all), n: number(d.positions) })), figures(d), bar, info, scroll];
  if (d.letters.length < d.size) parts.push(make('p', 'be-small', say('pairs_some', { n: d.letters.length, of: d.size })));
  return parts;
});

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
  const n = d.letters.length, table = make('table', 'be-heat-table be-many be-pair-table'), head = make('tr'), thead = make('thead'), body = make('tbody');
  const values = d.counts.map((row, i) => row.map((count, j) => (probable ? chance(d, i, j) : count))), most = Math.max(...values.flat(), 1e-9);
  const named = (text, scope) => { const th = make('th', '', text); th.scope = scope; return th; };
  head.append(make('td'), ...d.letters.map((one) => named(letter(one), 'col')));
  thead.append(head);
  const cells = values.flatMap((row, i) => {
    const tr = make('tr'), line = row.map((value, j) => {
      const td = make('td', value ? '' : 'be-none', !value ? '·' : probable ? (value < 0.005 ? '0' : number(value, 2).replace(/^0/, '')) : String(value));
      const share = Math.sqrt(value / most);
      td.style.setProperty('--be-cell', `color-mix(in srgb, var(--be-accent) ${(share * 100).toFixed(1)}%, var(--be-surface))`);
      if (share > 0.55) td.classList.add('be-over-55');
      if (share > 0.77) td.classList.add('be-over-77');
      td.setAttribute('aria-label', tell(d, i, j));
      return td;
    });
    tr.append(named(letter(d.letters[i]), 'row'), ...line);
    body.append(tr);
    return line;
  });
  const show = (k) => {
    at = [d.letters[Math.floor(k / n)], d.letters[k % n]];
    info.textContent = tell(d, Math.floor(k / n), k % n);
    cells.forEach((cell, i) => cell.classList.toggle('be-told', i === k));
  };
  cells.forEach((cell, k) => ['pointerenter', 'pointerdown', 'focus'].forEach((event) => cell.addEventListener(event, () => show(k))));
  roving(cells, (k, key) => {
    const [down, right] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key] || [0, 0];
    const i = Math.floor(k / n) + down, j = (k % n) + right;
    return (down || right) && i >= 0 && i < n && j >= 0 && j < n ? i * n + j : null;
  });
  const flat = d.counts.flat(), was = at ? [d.letters.indexOf(at[0]), d.letters.indexOf(at[1])] : [d.letters.indexOf('a'), d.letters.indexOf('n')];
  show(was.every((i) => i >= 0) ? was[0] * n + was[1] : flat.indexOf(Math.max(...flat)));
  table.append(thead, body);
  table.setAttribute('aria-label', say('pairs_label'));
  return table;
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

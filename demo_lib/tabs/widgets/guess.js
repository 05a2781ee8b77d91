// What comes next, by counting and by the network. value: {context, seen, mark, rows: [[char, predicted, counted, count]]}

const root = element.querySelector('.be-guess');
const percent = (p) => (p > 0 && p < 0.001 ? '< 0.1%' : `${number(100 * p, 1)}%`);
panel(root, 'rows', (d) => {
  const first = (i) => d.rows.reduce((best, row) => (row[i] > best[i] ? row : best))[0];
  const fields = { context: d.context, n: number(d.seen), own: first(1), percent: percent(Math.max(...d.rows.map((row) => row[1]))) };
  const line = make('p', 'be-sentence', d.seen ? say('guess_seen', { ...fields, counted: first(2) }) : say('guess_never', fields));
  line.setAttribute('aria-live', 'polite');
  const box = make('div', 'be-guess-rows'), most = Math.max(...d.rows.flatMap((row) => [row[1], row[2] || 0]));
  const head = make('div', 'be-guess-row be-guess-head');
  head.append(make('span', '', ''), make('span', '', say('guess_own')), make('span', '', say('guess_counted')));
  box.append(head);
  d.rows.forEach(([character, predicted, counted, count]) => {
    const row = make('div', 'be-guess-row'), bar = (p, cls, text) => {
      const cell = make('span', 'be-guess-cell'), track = make('span', 'be-bar-track'), fill = make('span', `be-bar-fill ${cls}`);
      fill.style.width = `${(100 * p) / most}%`;
      track.append(fill);
      cell.append(track, make('span', 'be-guess-n', text));
      return cell;
    };
    row.append(
      make('span', 'be-cell be-cell-y', visible(character)[1]), bar(predicted, '', percent(predicted)),
      counted === null ? make('span', 'be-guess-nothing', '?') : bar(counted, 'be-guess-count', `${percent(counted)} (${number(count)})`),
    );
    box.append(row);
  });
  return [line, box];
});

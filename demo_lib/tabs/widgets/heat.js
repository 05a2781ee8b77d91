// A matrix of cosines as a heat map, which is a table. Any cell, by pointer or by arrow keys, says its pair in words.
// value: {words, about: [{pieces: [[id, text]], norm, use}], matrix, notes: [{en, zh}]}

const root = element.querySelector('.be-heat');

const aboutOf = (data, i) => {
  const { pieces, norm, use } = data.about[i], tokens = pieces.map(([id, text]) => `${seen(encoder.encode(text))} ${id}`).join(' + ');
  return say(`word_is_${use}`, { word: data.words[i], tokens, norm: number(norm, 3) });
};

const cellOf = (data, i, j) => {
  const x = data.matrix[i][j], td = make('td', '', number(x, 2)), a = Math.min(1, Math.abs(x));
  td.style.setProperty('--be-cell', `color-mix(in srgb, var(${x < 0 ? '--be-end' : '--be-accent'}) ${(a * 100).toFixed(1)}%, var(--be-surface))`);
  // the text turns where the ground does: on a light page at another place than on a dark one
  if (a > 0.55) td.classList.add('be-over-55');
  if (a > 0.77) td.classList.add('be-over-77');
  td.setAttribute('aria-label', `cos(${data.words[i]}, ${data.words[j]}) = ${number(x, 3)}`);
  return td;
};

panel(root, 'words', (data) => {
  const n = data.words.length, start = n > 1 ? 1 : 0;
  const pair = make('p', 'be-sentence be-pair'), about = make('p', 'be-small be-pair-about');
  pair.setAttribute('role', 'status');
  const tell = (i, j) => {
    pair.textContent = `cos(${data.words[i]}, ${data.words[j]}) = ${number(data.matrix[i][j], 3)}`;
    about.textContent = (i === j ? [i] : [i, j]).map((k) => aboutOf(data, k)).join('  ·  ');
    cells.forEach((cell, k) => cell.classList.toggle('be-told', k === i * n + j));
  };
  const table = make('table', `be-heat-table ${n > 12 ? 'be-many' : ''}`), head = make('tr'), thead = make('thead'), body = make('tbody');
  const wordOf = (word, scope) => { const th = make('th', ''), name = make('span', '', word); th.scope = scope; th.title = word; th.appendChild(name); return th; };
  head.append(make('td'), ...data.words.map((word) => wordOf(word, 'col')));
  thead.appendChild(head);
  const cells = data.matrix.flatMap((row, i) => {
    const tr = make('tr'), line = row.map((_, j) => cellOf(data, i, j));
    tr.append(wordOf(data.words[i], 'row'), ...line);
    body.appendChild(tr);
    return line;
  });
  cells.forEach((cell, k) => ['pointerenter', 'pointerdown', 'focus'].forEach((event) => cell.addEventListener(event, () => tell(Math.floor(k / n), k % n))));
  roving(cells, (k, key) => {
    const [down, right] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key] || [0, 0];
    const i = Math.floor(k / n) + down, j = (k % n) + right;
    return (down || right) && i >= 0 && i < n && j >= 0 && j < n ? i * n + j : null;
  });
  table.append(thead, body);
  table.setAttribute('aria-label', say('heat_label'));
  const scroll = make('div', 'be-scroll');
  scroll.appendChild(table);
  // where columns are out of sight, a line and a fading edge say so
  const more = make('p', 'be-small be-heat-more', say('heat_more', { n }));
  const look = () => {
    if (!scroll.isConnected) return;
    more.hidden = scroll.scrollWidth <= scroll.clientWidth + 1;
    scroll.classList.toggle('be-fades', scroll.scrollLeft + scroll.clientWidth < scroll.scrollWidth - 1);
  };
  scroll.addEventListener('scroll', look);
  new ResizeObserver(look).observe(scroll);
  tell(0, start);
  return [pair, about, more, scroll, make('p', 'be-small', say('heat_hint')), ...data.notes.map((note) => make('p', 'be-note be-warn', both(note)))];
});

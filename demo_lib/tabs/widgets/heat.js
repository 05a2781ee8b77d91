// A matrix of cosines as a heat map, which is a table. Any cell, by pointer or by arrow keys, says its pair in words.
// value: {words, about: [{pieces: [[id, text]], norm, use}], matrix, notes: [{en, zh}]}

const root = element.querySelector('.be-heat');

const aboutOf = (data, i) => {
  const { pieces, norm, use } = data.about[i], tokens = pieces.map(([id, text]) => `${seenPiece(text)} ${id}`).join(' + ');
  return say(`word_is_${use}`, { word: data.words[i], tokens, norm: number(norm, 3) });
};

const cellOf = (data, i, j) => {
  const x = data.matrix[i][j], td = make('td', '', number(x, 2));
  td.setAttribute('aria-label', `cos(${data.words[i]}, ${data.words[j]}) = ${number(x, 3)}`);
  return tint(td, Math.min(1, Math.abs(x)), x < 0 ? '--be-end' : '--be-accent');
};

panel(root, 'words', (data) => {
  const n = data.words.length, start = n > 1 ? 1 : 0;
  const pair = make('p', 'be-sentence be-pair'), about = make('p', 'be-small be-pair-about');
  pair.setAttribute('role', 'status');
  const told = (i, j) => {
    pair.textContent = `cos(${data.words[i]}, ${data.words[j]}) = ${number(data.matrix[i][j], 3)}`;
    about.textContent = (i === j ? [i] : [i, j]).map((k) => aboutOf(data, k)).join('  ·  ');
  };
  const heading = (i) => { const th = make('th', ''); th.title = data.words[i]; th.appendChild(make('span', '', data.words[i])); return th; };
  const { table, tell } = heatTable(n, n > 12 ? 'be-many' : '', say('heat_label'), heading, (i, j) => cellOf(data, i, j), told);
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

// The board's figures: the comparison in words, the bars, the numbers under a column. Uses the board's `data`.

const sentence = (columns) => {
  // a tokenizer that lost the text has not won
  const good = columns.filter((c) => c.count?.tokens), n = (c) => c.count.tokens;
  if (good.length < 2 || !data.text) return '';
  const sorted = [...good].sort((a, b) => n(a) - n(b)), least = sorted[0], most = sorted[sorted.length - 1];
  if (n(least) === n(most)) return say(good.length === 2 ? 'both_need' : 'all_need', { n: number(n(least)) });
  return say('needs', { a: least.label, n: number(n(least)), b: most.label, m: number(n(most)) });
};

const bars = (columns) => {
  const box = make('div', 'be-bars'), most = Math.max(1, ...columns.map((c) => c.count?.tokens || 0));
  columns.filter((c) => c.count).forEach((c) => {
    const row = make('div', 'be-bar'), track = make('span', 'be-bar-track'), fillBar = make('span', 'be-bar-fill');
    fillBar.style.width = `${(100 * c.count.tokens) / most}%`;
    track.appendChild(fillBar);
    row.append(make('span', 'be-bar-label', c.label), track, make('b', 'be-bar-n', number(c.count.tokens)));
    box.appendChild(row);
  });
  return box;
};

const figures = (c) => {
  const list = make('dl', 'be-figures'), ratio = (x) => (x === null ? '–' : number(x, 2));
  const add = (key, value) => {
    const row = make('div');
    row.append(make('dt', '', say(key)), make('dd', '', value));
    list.appendChild(row);
  };
  add('tokens', number(c.count.tokens));
  if (!data.decoded) {
    add('characters', number(c.count.characters));
    add('bytes', number(c.count.bytes));
    add('per_character', ratio(c.count.tokens_per_character));
    add('per_han', ratio(c.count.tokens_per_han));
    add('per_token', ratio(c.count.bytes_per_token));
  }
  add('not_text', number(c.count.not_text));
  const box = make('div');
  box.appendChild(list);
  if (data.decoded) return box;
  const back = c.count.difference, note = make('p', back ? 'be-note be-warn' : 'be-note be-good');
  if (!back) note.textContent = say('round_trip');
  else {
    note.append(say('not_round_trip', { n: number(back[0] + 1) }), ' ');
    [back[1], back[2]].forEach((text, i) => {
      if (!text) { note.append(i ? ' → ' : '', say('nothing')); return; }
      const quote = make('span', 'be-quote');
      fill(quote, encoder.encode(text));
      note.append(i ? ' → ' : '', quote, ` (${Array.from(text).slice(0, 4).map((ch) => 'U+' + ch.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')).join(' ')})`);
    });
  }
  box.appendChild(note);
  return box;
};

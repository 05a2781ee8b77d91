// The list of names in use. value: {label: {en, zh}, names, duplicates, size, mark, alphabet, positions,
//   parts: [train, dev, test], dropped: {empty?, long?, odd?, rare?, beyond?}}

const root = element.querySelector('.be-namelist');
panel(root, 'label', (d) => {
  const box = make('div', 'be-tablebar'), line = make('div', 'be-table-line'), [train, dev, test] = d.parts.map((n) => number(n));
  line.append(make('b', '', both(d.label)));
  const told = [
    say('list_names', { n: number(d.names) }), say('list_positions', { n: number(d.positions) }),
    say('list_parts', { train, dev, test }),
  ];
  if (d.duplicates) told.push(say('list_duplicates', { n: number(d.duplicates) }));
  told.forEach((text) => line.append(make('span', '', text)));
  const letters = make('div', 'be-table-line'), piece = make('span', 'be-alphabet', d.alphabet);
  letters.append(make('span', '', say('list_alphabet', { n: d.size - 1, k: d.size, mark: d.mark })), piece);
  box.append(line, letters);
  const kinds = Object.entries(d.dropped);
  if (kinds.length) {
    const n = kinds.reduce((sum, [, count]) => sum + count, 0);
    const each = kinds.map(([kind, count]) => say(`dropped_${kind}`, { n: number(count) })).join(' · ');
    box.append(make('p', 'be-note be-warn', say('dropped', { n: number(n), each })));
  }
  return [box];
});

// New names. value: {names, rejected, tried, only}

const root = element.querySelector('.be-made');
panel(root, 'names', (d) => {
  const list = make('div', 'be-made-names');
  d.names.forEach((name) => list.append(make('span', 'be-piece', name)));
  const told = say(d.only ? 'made_told' : 'made_told_all', { n: d.names.length, tried: number(d.tried), rejected: number(d.rejected) });
  return [list, make('p', 'be-small', told)];
});

// The characters nearest to each. value: {rows: [[char, kind, [[char, kind, cosine]]]]}

const root = element.querySelector('.be-kin');
const chip = (character, kind, cls) => make('span', `be-kin-chip be-kin-${kind} ${cls}`, visible(character)[1]);
panel(root, 'rows', (d) => {
  const grid = make('ul', 'be-kin-grid');
  d.rows.forEach(([character, kind, near]) => {
    const item = make('li'), list = make('span', 'be-kin-near');
    near.forEach(([other, its, cosine]) => {
      const node = chip(other, its, ''), told = number(cosine, 2);
      node.append(make('small', '', told));
      list.append(node);
    });
    item.append(chip(character, kind, 'be-kin-one'), list);
    grid.append(item);
  });
  return [grid];
});

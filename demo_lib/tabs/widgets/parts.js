// The parameters of the network. value: {parts: [[name, shape, count, trained]], total, block, dim, hidden, size}

const root = element.querySelector('.be-parts');
panel(root, 'parts', (d) => {
  const line = make('p', 'be-sentence', say('parts_line', { n: number(d.total) })), row = make('div', 'be-part-row');
  d.parts.forEach(([name, shape, count, trained], i) => {
    const card = make('div', `be-part-card ${trained ? '' : 'be-frozen'}`);
    card.append(make('b', '', name), make('span', 'be-part-shape', shape.map((n) => number(n)).join(' × ')), make('span', 'be-part-count', trained ? number(count) : say('frozen')));
    if (i) row.append(make('span', 'be-part-plus', '+'));
    row.append(card);
  });
  const path = say('parts_path', { block: d.block, wide: number(d.block * d.dim), dim: d.dim, hidden: d.hidden, k: d.size });
  return [line, row, make('p', 'be-small', path)];
});

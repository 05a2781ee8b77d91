// Neighbours of each word by two measures side by side; a click on one walks on from it. value: {words: [{word,
//   note?: {en, zh}, pieces: [[id, text]], used: [index], norm?, lists: [{metric, rows: [[id, piece, score, norm]]}]}],
//   lengths?: {en, zh}}

const root = element.querySelector('.be-neighbours');

const headOf = () => {
  const head = make('thead'), tr = make('tr');
  ['neighbour', 'score', 'norm'].forEach((key, i) => {
    const th = make('th', i ? 'be-n' : '', say(key));
    th.scope = 'col';
    tr.appendChild(th);
  });
  head.appendChild(tr);
  return head;
};

const listOf = (list) => {
  const box = make('div', 'be-near'), title = say(`metric_${list.metric}`);
  const top = Math.max(...list.rows.map((row) => Math.abs(row[2])), 1e-9);
  box.dataset.key = list.metric;
  box.appendChild(make('h4', '', title));
  if (!list.rows.length) { box.appendChild(make('p', 'be-small', say('none_left'))); return box; }
  const table = make('table', 'be-table'), body = make('tbody');
  table.setAttribute('aria-label', title);
  list.rows.forEach(([id, piece, score, norm]) => {
    const tr = make('tr'), name = make('td');
    const go = button('be-walk', '', say('walk', { piece: seenPiece(piece) }), () => trigger('select', { id, piece }));
    fillPiece(go, piece);
    const bar = make('span', 'be-near-bar');
    bar.style.width = `${Math.max(0, (100 * score) / top)}%`;
    name.append(bar, go, make('small', 'be-id', id));
    tr.append(name, make('td', 'be-n', number(score, 3)), make('td', 'be-n', number(norm, 3)));
    body.appendChild(tr);
  });
  table.append(headOf(), body);
  box.appendChild(table);
  return box;
};

panel(root, 'words', (data) => [...(data.lengths ? [make('p', 'be-small be-lengths', both(data.lengths))] : []), ...data.words.map((word, n) => {
  const box = make('section', 'be-column be-word'), row = make('div', 'be-pieces');
  box.dataset.key = n;
  box.appendChild(make('h3', '', word.word));
  word.pieces.forEach(([id, text], i) => {
    const node = make('span', `be-piece ${word.used.includes(i) ? 'be-final' : ''}`);
    fillPiece(node, text);
    node.appendChild(make('small', 'be-id', id));
    row.appendChild(node);
  });
  if (word.norm !== null) row.appendChild(make('span', 'be-norm', say('norm_is', { norm: number(word.norm, 3) })));
  box.appendChild(row);
  if (word.note) box.appendChild(make('p', 'be-note be-warn', both(word.note)));
  if (word.line) box.appendChild(make('p', 'be-small', both(word.line)));
  const lists = make('div', 'be-near-lists');
  lists.append(...word.lists.map(listOf));
  box.appendChild(lists);
  return box;
})]);

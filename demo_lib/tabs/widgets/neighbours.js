// Neighbours of each word by two measures side by side; a click on one walks on from it.
// value: {words: [{word, note?: {en, zh}, error?, pieces: [[id, text]], norm, lists: [{metric, rows: [[id, piece, score, norm]]}]}]}

const root = element.querySelector('.be-neighbours');

const listOf = (list, word) => {
  const box = make('div', 'be-near'), top = Math.max(...list.rows.map((row) => Math.abs(row[2])), 1e-9);
  box.appendChild(make('h4', '', say(`metric_${list.metric}`)));
  const table = make('table', 'be-table'), head = make('tr');
  ['neighbour', 'score', 'norm'].forEach((key, i) => { const th = make('th', i ? 'be-n' : '', say(key)); th.scope = 'col'; head.appendChild(th); });
  const thead = make('thead'), body = make('tbody');
  thead.appendChild(head);
  list.rows.forEach(([id, piece, score, norm]) => {
    const tr = make('tr'), name = make('td'), go = button('be-walk', '', say('walk', { piece: seen(encoder.encode(piece)) }), () => trigger('select', { id, piece }));
    fill(go, encoder.encode(piece));
    const bar = make('span', 'be-near-bar');
    bar.style.width = `${Math.max(0, (list.metric === 'euclidean' ? 0 : score / top) * 100)}%`;
    name.append(go, make('small', 'be-id', id), bar);
    tr.append(name, make('td', 'be-n', number(score, 3)), make('td', 'be-n', number(norm, 3)));
    body.appendChild(tr);
  });
  table.append(thead, body);
  box.appendChild(table);
  return box;
};

const draw = () => {
  const data = read();
  if (!data.words) { root.replaceChildren(notYet(data)); return; }
  root.replaceChildren(...data.words.map((word) => {
    const box = make('section', 'be-column be-word'), title = make('h3', '', word.word);
    box.appendChild(title);
    if (word.error) { box.appendChild(make('p', 'be-note be-bad', both(word.error))); return box; }
    const row = make('div', 'be-pieces');
    word.pieces.forEach(([id, text], i) => {
      const node = make('span', `be-piece ${word.used.includes(i) ? 'be-final' : ''}`);
      fill(node, encoder.encode(text));
      node.appendChild(make('small', 'be-id', id));
      row.appendChild(node);
    });
    row.appendChild(make('span', 'be-small', say('norm_is', { norm: number(word.norm, 3) })));
    box.appendChild(row);
    if (word.note) box.appendChild(make('p', 'be-small', both(word.note)));
    const lists = make('div', 'be-near-lists');
    word.lists.forEach((list) => lists.appendChild(listOf(list, word)));
    box.appendChild(lists);
    return box;
  }));
};
draw();
watch('value', draw);
onLanguage(draw);

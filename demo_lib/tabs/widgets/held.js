// A text in two vocabularies: which of one's tokens the other has whole. value: {sides: [{label, other, tokens, held,
//   pieces: [[id, hex, id in the other | null]], lacking: [[id, hex, times]]}]} or {need: true}

const root = element.querySelector('.be-held');
const MOST = 1500;
const side = (s, k) => {
  const box = make('section', 'be-column'), of = number(s.tokens), n = number(s.held);
  box.appendChild(make('h3', '', s.label));
  const share = `${number((100 * s.held) / Math.max(1, s.tokens), 1)}%`;
  box.appendChild(make('p', 'be-held-line', say(s.held === s.tokens ? 'held_all' : 'held_line', { a: s.label, b: s.other, n, of, share })));
  const track = make('span', 'be-bar-track'), bar = make('span', 'be-bar-fill');
  bar.style.width = share;
  track.appendChild(bar);
  const tokens = s.pieces.map(([id, hex, other]) => [id, 0, 0, (other === null ? CUT : 0) | (asText(fromHex(hex)) === null ? BROKEN : 0), hex]);
  const list = plainChips(say('list_label', { label: s.label }), tokens, (token) => fromHex(token[4]), MOST, (i) => `${element.id || 'held'}-${k}-${i}`);
  list.querySelectorAll('.be-chip').forEach((node) => {
    const [id, hex, other] = s.pieces[node.dataset.i];
    node.classList.remove('be-edge');
    node.classList.toggle('be-lacks', other === null);
    node.title = `id ${id} · ${s.other}: ${other === null ? '–' : `id ${other}`} · ${toHex(fromHex(hex))}`;
    node.setAttribute('aria-label', `${node.getAttribute('aria-label')} · ${s.other}: ${other === null ? '–' : `id ${other}`}`);
  });
  box.append(track, list);
  if (s.lacking.length) {
    const row = make('div', 'be-pieces');
    s.lacking.forEach(([id, hex, times]) => {
      const node = make('span', 'be-piece');
      fill(node, fromHex(hex));
      node.appendChild(make('small', 'be-id', times > 1 ? `${id} · ${say('times', { n: number(times) })}` : id));
      row.appendChild(node);
    });
    box.append(make('h4', '', say('lacking', { label: s.other })), row);
  }
  return box;
};
const draw = (data) => {
  if (!data.sides[0].tokens) return [make('p', 'be-small', say('held_empty'))];
  const grid = make('div', 'be-columns');
  grid.style.setProperty('--be-n', 2);
  grid.append(...data.sides.map(side));
  return [grid];
};
panel(root, 'sides', draw);

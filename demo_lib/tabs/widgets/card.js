// One token: its bytes, and how merges build it, as a tree and step by step.
// value: {id, label, bytes: hex, kind, other: {label, id | null} | null, trace: {kind, built, start: [hex],
//   merges: [[at, left, right, rank]] | null, ends: [[id, hex]]} | null} or {hint: true}

const root = element.querySelector('.be-card');
// Leaves are the pieces at the start; each merge puts two neighbouring nodes under a new one.
const grow = (trace) => {
  let at = 0;
  const row = trace.start.map((hex) => { const bytes = fromHex(hex), node = { bytes, at, parts: [] }; at += bytes.length; return node; });
  trace.merges.forEach(([place, , , rank]) => {
    const i = row.findIndex((node) => node.at === place), [left, right] = row.slice(i, i + 2);
    row.splice(i, 2, { bytes: new Uint8Array([...left.bytes, ...right.bytes]), at: place, parts: [left, right], rank });
  });
  return row;
};
const branch = (node) => {
  const box = make('div', 'be-branch'), own = pieceOf(node.bytes, node.parts.length ? '' : 'be-leaf');
  if (node.rank !== undefined) own.title = say('card_step', { rank: number(node.rank) });
  box.appendChild(own);
  if (node.parts.length) {
    const under = make('div', 'be-branches');
    under.append(...node.parts.map(branch));
    box.appendChild(under);
  }
  return box;
};
const steps = (trace) => {
  const details = make('details', 'be-pattern'), list = make('ol', 'be-merge-steps');
  details.appendChild(make('summary', '', say('card_steps', { n: number(trace.merges.length) })));
  trace.merges.forEach(([, left, right, rank]) => {
    const row = make('li'), [a, b] = [fromHex(left), fromHex(right)];
    row.append(pieceOf(a), ' + ', pieceOf(b), ' → ', pieceOf(new Uint8Array([...a, ...b]), 'be-hot'), make('span', 'be-small', say('card_step', { rank: number(rank) })));
    list.appendChild(row);
  });
  details.appendChild(list);
  return details;
};
const built = (data) => {
  const { trace } = data;
  if (!trace) return [make('p', 'be-small', say('card_special'))];
  if (!trace.merges) return [make('p', 'be-small', say('card_own_rules', { kind: trace.kind }))];
  const nodes = [];
  if (!trace.built) nodes.push(make('p', 'be-note be-warn', say('card_unbuilt', { pieces: trace.ends.map(([id, hex]) => `${seen(fromHex(hex))} (${id})`).join(' + ') })));
  if (!trace.merges.length) return [...nodes, ...(trace.built ? [make('p', 'be-small', say('card_byte'))] : [])];
  const tree = make('div', 'be-tree be-scroll');
  tree.tabIndex = 0;
  tree.setAttribute('role', 'img');
  tree.setAttribute('aria-label', say('card_tree', { piece: seen(fromHex(data.bytes)) }));
  tree.append(...grow(trace).map(branch));
  return [...nodes, tree, steps(trace)];
};
const draw = () => {
  const data = read();
  if (data.id === undefined) { root.replaceChildren(data.refused ? notYet(data) : make('p', 'be-small', say('card_hint'))); return; }
  const bytes = fromHex(data.bytes), box = make('section', 'be-column'), title = make('h3', '', ''), facts = make('p', 'be-small be-facts');
  title.append(pieceOf(bytes), make('small', 'be-id', `id ${data.id} · ${data.label}`));
  facts.textContent = [say(`kind_${data.kind}`), say('bytes_n', { n: bytes.length }), toHex(bytes)].join(' · ');
  box.append(title, facts);
  if (data.other) box.appendChild(make('p', 'be-small', data.other.id === null ? say('card_none', { label: data.other.label }) : say('card_other', data.other)));
  box.append(...built(data));
  box.setAttribute('aria-live', 'polite');
  root.replaceChildren(box);
};
draw();
watch('value', draw);
onLanguage(draw);

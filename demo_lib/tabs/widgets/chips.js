// Token chips. A token is [id, byteStart, byteEnd, flags, hex?].
const SPECIAL = 1, CUT = 2, BROKEN = 4;
const chip = (token, bytes, i, id) => {
  const node = make('span', `be-chip be-c${i % 5}`);
  if (token[3] & SPECIAL) node.classList.add('be-special');
  if (token[3] & CUT) node.classList.add('be-edge');
  fill(node, bytes);
  node.id = id;
  node.dataset.i = i;
  node.setAttribute('role', 'option');
  node.setAttribute('aria-selected', 'false');
  node.setAttribute('aria-label', say('chip_label', { n: i + 1, piece: seen(bytes), id: token[0] }));
  return node;
};
// Where the tokens that share a character with token `from` end, and the text that they make together.
const sharers = (tokens, bytesOf, from) => {
  let joined = [];
  for (let to = from; to < Math.min(tokens.length, from + 12); to++) {
    joined = joined.concat(Array.from(bytesOf(tokens[to])));
    const text = asText(Uint8Array.from(joined));
    if (text !== null) return { to: to + 1, text };
  }
  return { to: from + 1, text: null };
};
// Chips for tokens[from] up to `target` at least; those that share a character stand together, with the character
// under a bracket. Returns how far it came.
const chips = (into, tokens, bytesOf, from, target, idOf) => {
  let i = from;
  while (i < tokens.length && i < target) {
    if (!(tokens[i][3] & BROKEN)) {
      const bytes = bytesOf(tokens[i]);
      into.appendChild(chip(tokens[i], bytes, i, idOf(i)));
      if (bytes[bytes.length - 1] === 10) into.appendChild(make('span', 'be-break'));
      i += 1;
      continue;
    }
    const { to, text } = sharers(tokens, bytesOf, i), box = make('span', 'be-group'), row = make('span', 'be-group-chips');
    for (let k = i; k < to; k++) row.appendChild(chip(tokens[k], bytesOf(tokens[k]), k, idOf(k)));
    box.appendChild(row);
    if (text !== null) {
      const under = make('span', 'be-group-char');
      under.setAttribute('aria-hidden', 'true');
      fill(under, encoder.encode(text.trim() || text));
      box.appendChild(under);
    }
    into.appendChild(box);
    i = to;
  }
  return i;
};
// The same for tokens that are there to be read, not chosen: a plain list, id and bytes in each one's tooltip.
const plainChips = (label, tokens, bytesOf, most, idOf) => {
  const list = make('div', 'be-list');
  list.setAttribute('role', 'list');
  list.setAttribute('aria-label', label);
  list.tabIndex = 0;
  chips(list, tokens, bytesOf, 0, most, idOf);
  list.querySelectorAll('.be-chip').forEach((node) => {
    const token = tokens[node.dataset.i];
    node.setAttribute('role', 'listitem');
    node.removeAttribute('aria-selected');
    node.title = `id ${token[0]} · ${toHex(bytesOf(token))}`;
  });
  return list;
};

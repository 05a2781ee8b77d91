// Tokens inside a sentence or a table, for the widgets that name many of them.

// A token as it is seen, with its id in small if given; what is cut off for want of room is in its title.
const token = (tag, cls, piece, id) => {
  const node = make(tag, cls);
  fillPiece(node, piece);
  node.title = node.textContent;
  if (id !== undefined) node.appendChild(make('small', 'be-id', id));
  return node;
};
// A sentence of the room's words in which some {fields} are nodes.
const phrase = (tag, cls, key, fields) => {
  const node = make(tag, cls);
  say(key).split(/\{(\w+)\}/).forEach((part, i) => node.append(i % 2 ? fields[part] : part));
  return node;
};

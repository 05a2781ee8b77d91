// One model's prompt read with another model's tokenizer.
// value: {own, other, own_tokens, tokens, extra, marker_tokens, markers: [{text, times, pieces: [[id, hex]]}], text, rows}

const root = element.querySelector('.be-misread');
root.dataset.id = `m${Math.random().toString(36).slice(2)}`;

const draw = () => {
  const data = read();
  if (data.own === undefined) { root.replaceChildren(notYet(data)); return; }
  const line = make('p', 'be-sentence', say(data.own === data.other ? 'misread_same' : data.markers.length ? 'misread' : 'misread_none', {
    own: data.own, other: data.other, n: number(data.tokens), m: number(data.own_tokens),
    extra: number(Math.abs(data.extra)), more: say(data.extra < 0 ? 'fewer' : 'more'),
    markers: number(data.markers.reduce((sum, marker) => sum + marker.times, 0)), pieces: number(data.marker_tokens),
  }));
  line.setAttribute('aria-live', 'polite');
  const list = make('ul', 'be-fallen');
  data.markers.forEach((marker) => {
    const item = make('li'), row = make('span', 'be-pieces');
    item.append(make('span', 'be-chip be-special', marker.text), make('span', 'be-times', say('example', { n: marker.times })));
    marker.pieces.forEach(([id, hex]) => {
      const piece = make('span', 'be-piece be-final');
      fill(piece, fromHex(hex));
      piece.appendChild(make('small', 'be-id', id));
      row.appendChild(piece);
    });
    item.appendChild(row);
    list.appendChild(item);
  });
  const bytes = encoder.encode(data.text), bytesOf = (t) => (t[4] !== undefined ? fromHex(t[4]) : bytes.subarray(t[1], t[2]));
  const all = plainChips(say('tokens_of', { label: data.other }), data.rows, bytesOf, 3000, (i) => `${root.dataset.id}-${i}`);
  root.replaceChildren(line, ...(data.markers.length ? [list] : []), make('h4', '', say('misread_tokens', { own: data.own, other: data.other })), all);
};
draw();
watch('value', draw);
onLanguage(draw);

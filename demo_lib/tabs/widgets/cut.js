// How one pre-token was cut, in each column: the pattern, the bytes, the merges with a slider.
// value: {columns: [{label, loading?, error?} | {label, empty} | {label, index, of, first, pre_tokens: [[text, byte]],
//   alternative, pattern: [[name, regex]], kind, whole, start: [hex],
//   merges: [[at, left, right, rank]] | null, ids} with {too_long} instead of the last five where stepping makes no sense]}

const root = element.querySelector('.be-cut');
let timers = [];

// The pieces after the first `n` merges, and where the last one happened.
const replay = (c, n) => {
  const pieces = c.start.map((hex) => fromHex(hex));
  let hot = -1;
  c.merges.slice(0, n).forEach(([at]) => {
    let i = 0;
    for (let offset = 0; offset < at; i++) offset += pieces[i].length;
    const joined = new Uint8Array([...pieces[i], ...pieces[i + 1]]);
    pieces.splice(i, 2, joined);
    hot = i;
  });
  return { pieces, hot };
};

const heading = (key) => make('h4', '', say(key));

const patternStep = (c) => {
  const box = make('div', 'be-step');
  box.appendChild(heading('step_pattern'));
  const row = make('div', 'be-pre-tokens');
  c.pre_tokens.forEach(([text, byte], i) => {
    const at = c.first + i, here = at === c.index;
    const bytes = encoder.encode(Array.from(text).slice(0, 60).join('') + (text.length > 60 ? '…' : ''));
    const label = say('pre_token_label', { n: at + 1, of: c.of, piece: seen(bytes) });
    const node = button(`be-pre ${here ? 'be-here' : ''}`, '', label, () => trigger('select', { byte }));
    fill(node, bytes);
    if (here) node.setAttribute('aria-current', 'true');
    row.appendChild(node);
  });
  if (c.first > 0) row.prepend(make('span', 'be-more', '…'));
  if (c.first + c.pre_tokens.length < c.of) row.appendChild(make('span', 'be-more', '…'));
  box.append(row, make('p', 'be-small', say('pre_token_n', { n: number(c.index + 1), of: number(c.of) })));
  if (!c.pattern.length) { box.appendChild(make('p', 'be-small', say('no_pattern'))); return box; }
  const details = make('details', 'be-pattern'), list = make('ol');
  const summary = make('summary', '', c.alternative ? `${say('matched')}: ${say('alt_' + c.alternative)}` : say('no_alternative'));
  details.append(summary, make('p', 'be-small', say('pattern')), list);
  details.open = root.dataset.pattern === 'open';
  details.addEventListener('toggle', () => { root.dataset.pattern = details.open ? 'open' : ''; });
  c.pattern.forEach(([name, regex]) => {
    const row = make('li', name === c.alternative ? 'be-here' : '');
    row.append(make('code', '', regex.replace(/ /g, '·')), make('span', 'be-small', say('alt_' + name)));
    if (name === c.alternative) row.appendChild(make('b', 'be-matched', say('matched')));
    list.appendChild(row);
  });
  box.appendChild(details);
  return box;
};

const bytesStep = (c) => {
  const box = make('div', 'be-step'), row = make('div', 'be-bytes');
  box.appendChild(heading('step_bytes'));
  const text = c.pre_tokens[c.index - c.first][0];
  Array.from(text).slice(0, 120).forEach((char) => {
    const cell = make('span', 'be-byte-group'), under = make('span', 'be-group-char');
    cell.appendChild(make('span', 'be-hex', toHex(encoder.encode(char))));
    fill(under, encoder.encode(char));
    cell.appendChild(under);
    row.appendChild(cell);
  });
  box.appendChild(row);
  return box;
};

const mergeStep = (c) => {
  const box = make('div', 'be-step');
  box.appendChild(heading('step_merges'));
  const result = make('div', 'be-pieces');
  const done = (sentence) => {
    const { pieces } = c.merges ? replay(c, c.merges.length) : { pieces: [] };
    box.append(make('p', 'be-small', sentence), result);
    (c.whole ? [encoder.encode(c.pre_tokens[c.index - c.first][0])] : pieces).forEach((bytes, i) => result.appendChild(withId(bytes, c.ids[i])));
    return box;
  };
  if (c.merges === null) { box.append(make('p', 'be-small', say('no_trace', { kind: c.kind })), make('p', 'be-small', `ids ${c.ids.join(', ')}`)); return box; }
  if (c.whole) return done(say('whole'));
  if (!c.merges.length) return done(say(c.start.length > 1 ? 'no_pair' : 'no_merges_needed'));
  return slider(c, box, result);
};

const withId = (bytes, id) => {
  const node = pieceOf(bytes, 'be-final');
  node.appendChild(make('small', 'be-id', id));
  return node;
};

const slider = (c, box, result) => {
  const steps = c.merges.length, line = make('p', 'be-merge-line'), range = make('input', 'be-range');
  range.type = 'range';
  range.min = 0;
  range.max = steps;
  range.value = steps;
  range.setAttribute('aria-label', `${say('merge_slider')}, ${c.label}`);
  let timer = null;
  const show = () => {
    const n = Number(range.value), { pieces, hot } = replay(c, n), last = n === steps;
    range.setAttribute('aria-valuetext', `${n} / ${steps}`);
    result.replaceChildren(...pieces.map((bytes, i) => (last ? withId(bytes, c.ids[i]) : pieceOf(bytes, i === hot ? 'be-hot' : ''))));
    line.replaceChildren();
    if (n === 0) line.textContent = say('start', { n: number(pieces.length) });
    else {
      const [, left, right, rank] = c.merges[n - 1];
      line.append(say('merge_step', { n, of: steps, rank: number(rank) }), ' ', pieceOf(fromHex(left)), ' + ', pieceOf(fromHex(right)));
      if (last) line.appendChild(make('span', 'be-small be-end-line', say('merge_end', { n: number(c.ids.length) })));
    }
  };
  const play = button('be-button', say('play'), '', () => {
    if (timer) return stop();
    if (Number(range.value) === steps) range.value = 0;
    show();
    play.textContent = say('pause');
    timer = setInterval(() => { range.value = Number(range.value) + 1; show(); if (Number(range.value) === steps) stop(); }, reduced() ? 1500 : Math.max(120, Math.min(900, 12000 / steps)));
    timers.push(timer);
    return undefined;
  });
  const stop = () => { clearInterval(timer); timer = null; play.textContent = say('play'); };
  range.addEventListener('input', () => { if (timer) stop(); show(); });
  const controls = make('div', 'be-controls');
  controls.append(play, range);
  box.append(controls, line, result);
  show();
  return box;
};

const draw = () => {
  timers.forEach(clearInterval);
  timers = [];
  const data = read();
  if (!data.columns) {
    root.replaceChildren(notYet(data));
    return;
  }
  const grid = make('div', 'be-columns');
  grid.style.setProperty('--be-n', data.columns.length);
  data.columns.forEach((c) => {
    const box = make('section', 'be-column');
    box.dataset.key = c.model;
    box.appendChild(make('h3', '', c.label));
    if (c.loading) box.appendChild(make('p', 'be-loading', say('loading_model', { label: c.label })));
    else if (c.error) box.appendChild(make('p', 'be-note be-bad', both(c.error)));
    else if (c.empty) box.appendChild(make('p', 'be-small', say('cut_empty')));
    else if (c.too_long) box.append(patternStep(c), make('p', 'be-small', say('too_long', { n: number(c.too_long) })));
    else box.append(patternStep(c), bytesStep(c), mergeStep(c));
    grid.appendChild(box);
  });
  root.replaceChildren(grid);
};
draw();
watch('value', () => inPlace(root, draw));
onLanguage(draw);

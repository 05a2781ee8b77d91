// The token board: one text in up to four tokenizers, side by side.
// value: {text, columns: [{model, label, tokens: [[id, byteStart, byteEnd, flags, hex?]], count, error?}], decoded?}
// flags: 1 special, 2 a cut that no other column makes, 4 not valid UTF-8 alone. hex: bytes other than the text's own.

const BATCH = 800;
const root = element.querySelector('.be-board');
let data = {}, bytes = new Uint8Array(), unitAt = [], lists = [], drawn = [], pinned = null;

const tokenBytes = (token) => (token[4] !== undefined ? fromHex(token[4]) : bytes.subarray(token[1], token[2]));

// byte offset -> UTF-16 offset of the character that holds it, for slicing the text
const index = (text) => {
  unitAt = [];
  let unit = 0;
  for (const char of text) {
    const size = encoder.encode(char).length;
    for (let i = 0; i < size; i++) unitAt.push(unit);
    unit += char.length;
  }
  unitAt.push(unit);
};

const grow = (column, target) => {
  const frag = document.createDocumentFragment(), { tokens } = data.columns[column];
  drawn[column] = chips(frag, tokens, tokenBytes, drawn[column], target, (i) => `${root.dataset.id}-${column}-${i}`);
  lists[column].appendChild(frag);
};

const node = (column, i) => document.getElementById(`${root.dataset.id}-${column}-${i}`);

const unlight = () => {
  root.querySelectorAll('.be-lit, .be-on').forEach((chip) => chip.classList.remove('be-lit', 'be-on'));
  const echo = root.querySelector('.be-typed');
  if (echo) echo.textContent = data.text || '';
};

// Light up the same bytes everywhere, and say what the token is.
const light = (column, i) => {
  unlight();
  const token = data.columns[column]?.tokens?.[i];
  if (!token) return;
  const [, from, to] = token;
  node(column, i)?.classList.add('be-on');
  if (to > from) {
    data.columns.forEach((other, c) => {
      if (c === column || !other.tokens) return;
      other.tokens.forEach((t, k) => { if (t[1] < to && t[2] > from) node(c, k)?.classList.add('be-lit'); });
    });
    mark(from, to);
  }
  tell(column, i);
};

const mark = (from, to) => {
  const echo = root.querySelector('.be-typed');
  if (!echo) return;
  const start = unitAt[from];
  let end = to;
  while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) end += 1; // to the end of the character
  const stop = unitAt[end] ?? data.text.length;
  const lit = make('mark', 'be-mark', data.text.slice(start, stop));
  echo.replaceChildren(data.text.slice(0, start), lit, data.text.slice(stop));
  echo.scrollTop = Math.max(0, lit.offsetTop - echo.offsetTop - 40);
};

const tell = (column, i) => {
  const info = root.querySelector('.be-info'), { label, tokens } = data.columns[column], token = tokens[i];
  const piece = make('span', 'be-info-piece');
  fill(piece, tokenBytes(token));
  const facts = [
    `id ${token[0]}`,
    say('info_bytes', { bytes: toHex(tokenBytes(token)) }),
    token[2] > token[1] ? say(token[2] - token[1] === 1 ? 'info_byte' : 'info_place', { from: number(token[1] + 1), to: number(token[2]) }) : say('info_added'),
    say('info_nth', { n: number(i + 1), of: number(tokens.length) }),
  ];
  if (token[3] & SPECIAL) facts.push(say('info_special'));
  if (token[3] & BROKEN) facts.push(say('info_broken'));
  if (token[3] & CUT) facts.push(say('info_cut'));
  info.replaceChildren(make('b', '', label), piece, make('span', 'be-facts', facts.join(' · ')));
};

const select = (at) => {
  root.querySelectorAll('[aria-selected=true]').forEach((chip) => chip.setAttribute('aria-selected', 'false'));
  lists.forEach((list) => list.removeAttribute('aria-activedescendant'));
  const chosen = at && node(...at);
  if (!chosen) return;
  chosen.setAttribute('aria-selected', 'true');
  lists[at[0]].setAttribute('aria-activedescendant', chosen.id);
};

const idle = () => {
  unlight();
  if (pinned && !data.columns?.[pinned[0]]?.tokens?.[pinned[1]]) pinned = null;
  select(pinned);
  if (pinned) return light(...pinned);
  const info = root.querySelector('.be-info');
  if (info) info.textContent = say(data.decoded ? 'info_hint_ids' : 'info_hint');
};

const csv = () => {
  const rows = [['model', 'position', 'id', 'piece', 'bytes', 'byte_start', 'byte_end', 'special', 'valid_utf8']];
  data.columns.forEach((c) => c.tokens?.forEach((t, i) => {
    const piece = tokenBytes(t), text = asText(piece);
    // as a JSON string the piece survives any spreadsheet: no formula, no lost space
    rows.push([c.label, i, t[0], text === null ? `<${toHex(piece)}>` : JSON.stringify(text), toHex(piece), t[1], t[2], t[3] & SPECIAL ? 1 : 0, t[3] & BROKEN ? 0 : 1]);
  }));
  return csvOf(rows);
};
const figuresCsv = () => {
  const good = data.columns.filter((c) => c.count), keys = Object.keys(good[0].count).filter((key) => key !== 'difference');
  return csvOf([['model', ...keys, 'exact'], ...good.map((c) => [c.label, ...keys.map((key) => c.count[key] ?? ''), c.count.difference ? 0 : 1])]);
};

const head = (c, k) => {
  const bar = make('div', 'be-column-head'), name = make('h3', '', c.label), tools = make('span', 'be-tools');
  const act = (action) => () => trigger('edit', { action, column: k });
  if (!data.decoded && data.columns.length > 1) {
    if (k > 0) tools.appendChild(button('be-icon', '←', say('move_left', { label: c.label }), act('left')));
    if (k < data.columns.length - 1) tools.appendChild(button('be-icon', '→', say('move_right', { label: c.label }), act('right')));
    tools.appendChild(button('be-icon', '×', say('remove', { label: c.label }), act('remove')));
  }
  bar.append(name, tools);
  return bar;
};

const column = (c, k) => {
  const box = make('section', 'be-column');
  box.dataset.key = c.model;
  box.appendChild(head(c, k));
  if (c.loading) {
    box.appendChild(make('p', 'be-loading', say('loading_model', { label: c.label })));
    return box;
  }
  if (c.error) {
    const note = make('p', 'be-note be-bad', both(c.error));
    note.setAttribute('role', 'alert');
    box.appendChild(note);
    return box;
  }
  const list = make('div', 'be-list');
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', say('list_label', { label: c.label }));
  list.setAttribute('aria-orientation', 'horizontal');
  list.tabIndex = 0;
  list.dataset.column = k;
  lists[k] = list;
  box.appendChild(list);
  if (!c.tokens.length) list.appendChild(make('span', 'be-empty', say('empty')));
  if (data.decoded) {
    const text = make('pre', 'be-echo be-decoded', c.text);
    box.append(make('h4', '', say('decoded_text')), text);
  }
  if (data.bos && !c.tokens.some((t) => t[3] & SPECIAL && t[1] === t[2])) box.appendChild(make('p', 'be-note', say('no_bos')));
  box.appendChild(figures(c));
  const tools = make('div', 'be-actions');
  tools.append(
    copyButton('copy_ids', () => JSON.stringify(c.tokens.map((t) => t[0]))),
    copyButton('copy_pieces', () => JSON.stringify(c.tokens.map((t) => asText(tokenBytes(t)) ?? `<${toHex(tokenBytes(t))}>`))),
  );
  box.appendChild(tools);
  return box;
};

const top = () => {
  const frag = document.createDocumentFragment();
  const line = make('p', 'be-sentence', sentence(data.columns));
  line.setAttribute('aria-live', 'polite');
  frag.append(line, bars(data.columns));
  if (data.text) {
    const echo = make('div', 'be-echo be-typed', data.text);
    echo.setAttribute('aria-hidden', 'true'); // the text box above says the same
    echo.dir = 'auto';
    frag.appendChild(echo);
  }
  return frag;
};

const draw = () => {
  const before = lists.map((list, k) => [drawn[k], list.scrollTop]), next = read();
  root.dataset.state = next.refused ? 'refused' : !next.columns || next.columns.some((c) => c.loading) ? 'loading' : 'ready';
  if (!next.columns) {
    // the last board stays, faded, so that the page does not jump at each keystroke over the limit
    const last = next.refused && data.columns ? [...root.children].filter((child) => !child.matches('.be-note')) : [];
    last.forEach((child) => { child.inert = true; });
    root.replaceChildren(notYet(next), ...last);
    return;
  }
  data = next;
  bytes = encoder.encode(data.text || '');
  index(data.text || '');
  lists = [];
  drawn = data.columns.map(() => 0);
  const grid = make('div', 'be-columns'), info = make('div', 'be-info');
  grid.style.setProperty('--be-n', data.columns.length);
  info.setAttribute('role', 'status');
  data.columns.forEach((c, k) => grid.appendChild(column(c, k)));
  const foot = make('div', 'be-actions be-foot');
  const save = (key, name, make) => foot.appendChild(button('be-button', say(key), '', () => download(name, 'text/csv', `\ufeff${make()}`)));
  if (data.columns.some((c) => c.tokens?.length)) {
    save('download_csv', 'tokens.csv', csv);
    if (!data.decoded) save('download_figures', 'figures.csv', figuresCsv);
  }
  if (data.columns.length > 1 && !data.decoded) foot.appendChild(make('span', 'be-legend', say('legend_cut')));
  root.replaceChildren(...(data.decoded ? [] : [top()]), info, grid, foot);
  lists.forEach((list, k) => {
    grow(k, Math.max(BATCH, before[k]?.[0] || 0));
    list.scrollTop = before[k]?.[1] || 0;
    list.addEventListener('scroll', () => {
      if (list.scrollTop + list.clientHeight > list.scrollHeight - 300) grow(k, drawn[k] + BATCH);
    });
  });
  idle();
};

const place = (event) => {
  const hit = event.target.closest?.('.be-chip'), list = hit?.closest('.be-list');
  return list ? [Number(list.dataset.column), Number(hit.dataset.i)] : null;
};
const pin = (at) => {
  pinned = at;
  select(at);
  light(...at);
};
const choose = (at) => {
  pin(at);
  const token = data.columns[at[0]].tokens[at[1]];
  if (!data.decoded) trigger('select', { action: 'token', column: at[0], byte: token[1] });
};

root.dataset.id = `b${Math.random().toString(36).slice(2)}`;
root.addEventListener('pointerover', (event) => { const at = place(event); if (at) light(...at); });
root.addEventListener('pointerout', (event) => { if (place(event) && !event.relatedTarget?.closest?.('.be-chip')) idle(); });
root.addEventListener('click', (event) => { const at = place(event); if (at) choose(at); });
root.addEventListener('focusin', (event) => {
  const list = event.target.closest?.('.be-list');
  if (!list || !data.columns[list.dataset.column].tokens?.length) return;
  const k = Number(list.dataset.column);
  if (!pinned || pinned[0] !== k) pin([k, 0]);
});
root.addEventListener('keydown', (event) => {
  const list = event.target.closest?.('.be-list');
  if (!list) return;
  const k = Number(list.dataset.column), n = data.columns[k].tokens.length, i = pinned?.[0] === k ? pinned[1] : -1;
  const to = { ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: i + 10, ArrowUp: i - 10, Home: 0, End: n - 1 }[event.key];
  if (to !== undefined && n) {
    event.preventDefault();
    const next = Math.max(0, Math.min(n - 1, to));
    grow(k, next + 1);
    pin([k, next]);
    node(k, next)?.scrollIntoView({ block: 'nearest' });
  } else if ((event.key === 'Enter' || event.key === ' ') && i >= 0) {
    event.preventDefault();
    choose([k, i]);
  } else if (event.key === 'Escape') { pinned = null; idle(); }
});
draw();
watch('value', () => { pinned = null; inPlace(root, draw); });
onLanguage(draw);

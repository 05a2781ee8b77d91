// What every widget shares. Each widget's script runs after this text, in the same function, with Gradio's
// `element`, `props`, `trigger` and `watch`. Whatever a user typed goes into the page by textContent only.

const make = (tag, cls, text) => {
  const node = document.createElement(tag);
  if (cls) node.className = cls;
  if (text !== undefined) node.textContent = text;
  return node;
};
const button = (cls, text, label, act) => {
  const node = make('button', cls, text);
  node.type = 'button';
  if (label) { node.setAttribute('aria-label', label); node.title = label; }
  node.addEventListener('click', act);
  return node;
};

const language = () => ((window.__lang || navigator.language || 'en').toLowerCase().startsWith('zh') ? 'zh-CN' : 'en');
const words = () => window.gradio_config?.i18n_translations?.[language()] || {};
// say('needs', {n: 3}): the room's own words, with {n} filled in
const say = (key, fields = {}) => (words()[`${props.room}.${key}`] ?? key)
  .replace(/\{(\w+)\}/g, (all, name) => (name in fields ? fields[name] : all))
  .replace(/(?<![\d.,])1 (token|piece|marker|message|row|step|time|character|parameter|byte|dimension)s\b/g, '1 $1'); // as page.Words.say has it
const both = (sentence) => (language() === 'zh-CN' ? sentence.zh : sentence.en);
const number = (n, digits = 0) => n.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const onLanguage = (draw) => {
  const listen = () => (element.isConnected ? draw() : window.removeEventListener('both-ends-language', listen));
  window.addEventListener('both-ends-language', listen);
};

// `expand` tells the server, once, that the widget can be seen: in a tab that nobody opens nothing is asked or fetched.
const eye = new IntersectionObserver(([entry]) => {
  if (!entry.isIntersecting) return;
  eye.disconnect();
  trigger('expand');
}, { rootMargin: '100000px' });
eye.observe(element);

const encoder = new TextEncoder();
const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
const asText = (bytes) => { try { return strict.decode(bytes); } catch { return null; } };

// A character as something that can be seen, the same rule as render.visible in Python:
// ['text', 'a'], ['space', '·'] or ['name', 'ZWJ'] for what has no shape of its own.
const NAMES = props.names || {};
const visible = (char) => {
  if (char === ' ') return ['space', '·'];
  if (char === '\n') return ['space', '⏎'];
  if (char === '\t') return ['space', '⇥'];
  if (char in NAMES) return ['name', NAMES[char]];
  if (/[\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Co}\p{Default_Ignorable_Code_Point}]/u.test(char)) {
    return ['name', 'U+' + char.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')];
  }
  return ['text', char];
};

// Bytes as [kind, text] parts: characters as themselves, bytes that are no character as hex.
const parts = (bytes) => {
  const out = [];
  const push = (kind, text) => {
    const last = out[out.length - 1];
    if (last && last[0] === kind && kind !== 'name') last[1] += (kind === 'hex' ? ' ' : '') + text;
    else out.push([kind, text]);
  };
  for (let i = 0; i < bytes.length;) {
    const byte = bytes[i];
    const size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    const char = asText(bytes.subarray(i, i + size));
    if (char !== null && i + size <= bytes.length) { push(...visible(char)); i += size; }
    else { push('hex', toHex([byte])); i += 1; }
  }
  return out;
};
const fill = (node, bytes) => {
  const all = parts(bytes);
  all.forEach(([kind, text], i) => {
    // a combining mark at the front would climb onto whatever stands before it
    if (kind === 'text' && i === 0 && /^\p{M}/u.test(text)) text = '◌' + text;
    node.appendChild(kind === 'text' ? document.createTextNode(text) : make('span', `be-${kind}`, text));
  });
  return all;
};
const pieceOf = (bytes, cls = '') => {
  const node = make('span', `be-piece ${cls}`);
  fill(node, bytes);
  return node;
};
const seen = (bytes) => parts(bytes).map((part) => part[1]).join('');
// A token as render.piece writes it: bytes that are no character come as <E9 92>, and that space is none of the token.
const runs = (piece) => piece.split(/(<[0-9A-F]{2}(?: [0-9A-F]{2})*>)/).map((run, i) => [i % 2 === 1, run]);
const fillPiece = (node, piece) => runs(piece).forEach(([hex, run]) => (hex ? node.append(make('span', 'be-hex', run)) : fill(node, encoder.encode(run))));
const seenPiece = (piece) => runs(piece).map(([hex, run]) => (hex ? run : seen(encoder.encode(run)))).join('');

// A widget's value that is not there yet, or a sentence that says why it never will be.
const notYet = (data) => {
  const note = make('p', data.refused ? 'be-note be-bad' : 'be-loading', data.refused ? both(data.refused) : say('loading'));
  note.setAttribute('role', data.refused ? 'alert' : 'status');
  return note;
};

const copyText = async (text) => {
  try { await navigator.clipboard.writeText(text); } catch {
    // pages on plain http have no clipboard of their own
    const area = make('textarea');
    area.value = text;
    document.body.appendChild(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
};
const copyButton = (key, get) => {
  const node = button('be-button', say(key), '', async () => {
    await copyText(get());
    node.textContent = say('copied');
    setTimeout(() => { node.textContent = say(key); }, 1500);
  });
  return node;
};
const csvOf = (rows) => rows.map((row) => row.map((cell) => `"${String(cell).replace(/"/g, '""')}"`).join(',')).join('\r\n');
const download = (name, type, text) => {
  const link = make('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const read = () => { try { return JSON.parse(props.value || '{}'); } catch { return {}; } };
const reduced = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;
// Draws anew, and gives the focus back to the control that had it, or to its neighbour if that one is gone: a visitor
// with a keyboard stays in place. Controls are told apart by their names within the nearest data-key.
const inPlace = (root, draw) => {
  const had = root.contains(document.activeElement) ? document.activeElement : null;
  const part = (node) => node.closest('[data-key]')?.dataset.key, name = (node) => node.getAttribute('aria-label') || node.textContent;
  const was = had && [part(had), name(had)];
  draw();
  if (!had || had.isConnected) return;
  const all = [...root.querySelectorAll('button, input, select, [tabindex="0"]')], near = all.filter((node) => part(node) === was[0]);
  (near.find((node) => name(node) === was[1]) || near[0] || all[0])?.focus({ preventScroll: true });
};
// Draws what `make(data)` gives, once `data[key]` is there. A refusal or work that takes long leaves in place what was
// drawn before, dimmed, with a sentence: nothing jumps while somebody types. But a refusal `about` something else than
// what was drawn takes it away: it would look like the answer. Values: {refused: {en, zh}, about}, {busy: true}.
const panel = (root, key, make_nodes) => {
  let kept = null;
  const draw = () => {
    const data = read();
    if (data[key]) kept = data;
    else if (!data.refused && !data.busy) kept = null;
    else if (data.about !== undefined && kept?.about !== undefined && data.about !== kept.about) kept = null;
    root.dataset.state = data.busy ? 'busy' : data.refused ? 'refused' : kept ? '' : 'empty';
    root.setAttribute('aria-busy', String(!!data.busy));
    const nodes = kept ? make_nodes(kept) : [];
    if (data.busy) {
      const pill = make('p', kept ? 'be-working' : 'be-loading', say('working'));
      pill.setAttribute('role', 'status');
      nodes.unshift(pill);
    } else if (!kept || data.refused) nodes.unshift(notYet(data));
    inPlace(root, () => root.replaceChildren(...nodes));
  };
  draw();
  watch('value', draw);
  onLanguage(draw);
};
const svg = (tag, attributes, text) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  if (text !== undefined) node.textContent = text;
  return node;
};
// One stop of the Tab key for many nodes, and the arrow keys among them. `step(i, key)`: the index to go to, or null.
const roving = (nodes, step) => {
  const go = (to) => nodes.forEach((node, i) => node.setAttribute('tabindex', i === to ? 0 : -1));
  nodes.forEach((node, i) => {
    node.addEventListener('focus', () => go(i));
    node.addEventListener('keydown', (event) => {
      const to = event.key === 'Home' ? 0 : event.key === 'End' ? nodes.length - 1 : step(i, event.key);
      if (to === null || to === undefined || !nodes[to]) return;
      event.preventDefault();
      nodes[to].focus();
    });
  });
  go(0);
};

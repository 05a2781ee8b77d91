// What a conversation becomes for each model: the rendered prompt, its tokens, what they cost, what to look out for.
// value: {columns: [{model, label, error?, warnings} | {model, label, segments: [[text, kind, message]], tokens,
//   total, content, messages: [[role, content, template]], added: [[kind, tokens]], warnings: [{en, zh, ids, positions}]}]}

const root = element.querySelector('.be-prompt');
let view = 'text', data = {};
root.dataset.id = `p${Math.random().toString(36).slice(2)}`;

const sentence = (columns) => {
  const good = columns.filter((c) => c.total !== undefined);
  if (!good.length) return '';
  if (good.length === 1) return say('one_needs', { a: good[0].label, n: number(good[0].total), words: number(good[0].content) });
  const sorted = [...good].sort((a, b) => a.total - b.total), least = sorted[0], most = sorted[sorted.length - 1];
  if (least.total === most.total) return say('chat_equal', { n: number(least.total) });
  return say('chat_needs', { a: least.label, n: number(least.total), b: most.label, m: number(most.total) });
};

const SHOW = /<\|[^<>|\s]{1,60}\|>|<\/?(?:think|tool_call|tool_response|tools)>/g;
const promptText = (c, special) => {
  const pre = make('pre', 'be-rendered');
  pre.dir = 'auto';
  pre.tabIndex = 0;
  pre.setAttribute('aria-label', say('prompt_of', { label: c.label }));
  c.segments.forEach(([text, kind]) => {
    const span = make('span', `be-seg be-seg-${kind === 'content' || kind === 'marker' ? kind : 'added'}`);
    let at = 0;
    for (const hit of text.matchAll(SHOW)) {
      if (!special.has(hit[0])) continue;
      span.append(text.slice(at, hit.index), make('span', 'be-seg-special', hit[0]));
      at = hit.index + hit[0].length;
    }
    span.append(text.slice(at));
    pre.appendChild(span);
  });
  return pre;
};

const costs = (c) => {
  const table = make('table', 'be-table'), top = make('tr');
  ['part', 'content_tokens', 'template_tokens'].forEach((key, i) => { const th = make('th', i ? 'be-n' : '', say(key)); th.scope = 'col'; top.appendChild(th); });
  const headRow = make('thead');
  headRow.appendChild(top);
  const body = make('tbody');
  const row = (name, content, template, cls) => {
    const tr = make('tr', cls), th = make('th', '', name);
    th.scope = 'row';
    tr.append(th, make('td', 'be-n', content === null ? '' : number(content)), make('td', 'be-n', number(template)));
    body.appendChild(tr);
  };
  c.added.filter(([kind]) => kind !== 'generation').forEach(([kind, n]) => row(say(`added_${kind}`), null, n, 'be-row-added'));
  c.messages.forEach(([role, content, template], i) => row(`${i + 1} · ${words()[`${props.room}.role_${role}`] || role}`, content, template));
  c.added.filter(([kind]) => kind === 'generation').forEach(([kind, n]) => row(say(`added_${kind}`), null, n, 'be-row-added'));
  row(say('total'), c.content, c.total - c.content, 'be-row-total');
  table.append(headRow, body);
  return table;
};

const warnings = (c, k) => {
  const box = make('ul', 'be-warnings');
  c.warnings.forEach((warning) => {
    const item = make('li', '', both(warning));
    if (warning.ids.length) {
      const ids = make('span', 'be-small', ` id ${warning.ids.slice(0, 12).join(' ')}${warning.ids.length > 12 ? ' …' : ''}`);
      item.appendChild(ids);
    }
    if (warning.positions.length) {
      item.appendChild(button('be-link', say('show_tokens'), '', () => {
        if (view !== 'tokens') { view = 'tokens'; draw(); }
        root.querySelectorAll('.be-list')[k]?.focus({ preventScroll: true });
        root.querySelectorAll('.be-on').forEach((node) => node.classList.remove('be-on'));
        const hit = warning.positions.map((i) => document.getElementById(`${root.dataset.id}-${k}-${i}`));
        hit.forEach((node) => node?.classList.add('be-on'));
        hit[0]?.scrollIntoView({ block: 'center', behavior: reduced() ? 'auto' : 'smooth' });
      }));
    }
    box.appendChild(item);
  });
  return box;
};

const column = (c, k) => {
  const box = make('section', 'be-column'), bar = make('div', 'be-column-head');
  bar.appendChild(make('h3', '', c.label));
  box.appendChild(bar);
  if (c.loading) {
    box.appendChild(make('p', 'be-loading', say('loading_model', { label: c.label })));
    return box;
  }
  if (c.error) {
    const note = make('p', 'be-note be-bad', both(c.error));
    note.setAttribute('role', 'alert');
    box.append(note, ...c.warnings.map((warning) => make('p', 'be-small', `id ${warning.ids.join(' ')}`)));
    return box;
  }
  bar.appendChild(make('b', 'be-total', say('n_tokens', { n: number(c.total) })));
  const text = c.segments.map((s) => s[0]).join(''), bytes = encoder.encode(text);
  const bytesOf = (token) => (token[4] !== undefined ? fromHex(token[4]) : bytes.subarray(token[1], token[2]));
  const special = new Set(c.tokens.filter((t) => t[3] & SPECIAL).map((t) => asText(bytesOf(t))));
  box.appendChild(view === 'text' ? promptText(c, special) : plainChips(say('tokens_of', { label: c.label }), c.tokens, bytesOf, 4000, (i) => `${root.dataset.id}-${k}-${i}`));
  const tools = make('div', 'be-actions');
  tools.append(copyButton('copy_prompt', () => text), copyButton('copy_ids', () => JSON.stringify(c.tokens.map((t) => t[0]))));
  box.append(tools, make('h4', '', say('cost_title')), costs(c));
  if (c.warnings.length) box.append(make('h4', '', say('warnings_title')), warnings(c, k));
  return box;
};

const draw = () => {
  const tops = [...root.querySelectorAll('.be-rendered, .be-list')].map((node) => node.scrollTop);
  data = read();
  root.dataset.state = !data.columns || data.columns.some((c) => c.loading) ? 'loading' : 'ready';
  if (!data.columns) { root.replaceChildren(notYet(data)); return; }
  const line = make('p', 'be-sentence', sentence(data.columns)), grid = make('div', 'be-columns'), bar = make('div', 'be-viewbar');
  line.setAttribute('aria-live', 'polite');
  grid.style.setProperty('--be-n', data.columns.length);
  const group = make('div', 'be-segmented');
  group.setAttribute('role', 'group');
  ['text', 'tokens'].forEach((name) => {
    const node = button('be-segment', say(`view_${name}`), '', () => { view = name; inPlace(root, draw); });
    node.setAttribute('aria-pressed', String(view === name));
    group.appendChild(node);
  });
  const legend = make('span', 'be-legend');
  ['content', 'marker', 'added'].forEach((kind) => legend.append(make('span', `be-key be-seg-${kind}`, say(`legend_${kind}`)), ' '));
  bar.append(group, ...(view === 'text' ? [legend] : []));
  data.columns.forEach((c, k) => grid.appendChild(column(c, k)));
  root.replaceChildren(line, bar, grid);
  root.querySelectorAll('.be-rendered, .be-list').forEach((node, i) => { node.scrollTop = tops[i] || 0; });
};
draw();
watch('value', () => inPlace(root, draw));
onLanguage(draw);

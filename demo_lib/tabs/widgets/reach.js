// Tokens that no text can produce. value: {state: 'idle'|'working'|'done', label, done, asked, proved, listed,
//   reasons: [{why, n, tokens: [[id, hex]]}], witnesses, examples: [[id, hex, text]]}. `select` begins.

const root = element.querySelector('.be-reach');
const named = (hex, id) => {
  const node = pieceOf(fromHex(hex));
  node.title = `id ${id} · ${toHex(fromHex(hex))}`;
  node.appendChild(make('small', 'be-id', id));
  return node;
};
const reason = (one, listed) => {
  const box = make('section', 'be-column be-reason'), row = make('div', 'be-pieces be-voc-list'), title = make('h3', '', number(one.n));
  title.appendChild(make('span', 'be-reason-why', say(`why_${one.why}`)));
  row.append(...one.tokens.slice(0, listed).map(([id, hex]) => named(hex, id)));
  row.tabIndex = 0;
  row.setAttribute('role', 'group');
  row.setAttribute('aria-label', say(`why_${one.why}`));
  if (one.n > listed) row.appendChild(make('span', 'be-small', say('more', { n: number(one.n - listed) })));
  box.append(title, row);
  return box;
};
const examples = (data) => {
  const box = make('section', 'be-column'), list = make('ul', 'be-witnesses');
  data.examples.forEach(([id, hex, text]) => {
    const row = make('li'), quote = make('span', 'be-quote');
    fill(quote, encoder.encode(text));
    row.append(named(hex, id), say('witness_in'), quote);
    list.appendChild(row);
  });
  box.append(make('h3', '', say('witness_title')), make('p', 'be-small', say('witness_line', { n: number(data.witnesses) })), list);
  return box;
};
const draw = () => {
  const data = read(), { label } = data, parts = [];
  if (!data.state) { root.replaceChildren(notYet(data)); return; }
  if (data.state === 'working') {
    const bar = make('progress', 'be-progress');
    bar.value = data.done;
    bar.setAttribute('aria-label', say('reach_working', { label }));
    parts.push(make('p', 'be-small', say('reach_working', { label })), bar);
  }
  if (data.state === 'idle') parts.push(make('p', 'be-small', say('reach_idle', { label })), button('be-button be-primary', say('reach_start'), '', () => trigger('select', {})));
  if (data.state === 'done') {
    const n = data.reasons.reduce((sum, one) => sum + one.n, 0);
    const line = make('p', 'be-sentence', say(n ? (data.proved ? 'reach_line' : 'reach_tried') : 'reach_none', { n: number(n), of: number(data.asked), label }));
    line.setAttribute('role', 'status');
    parts.push(line, ...data.reasons.map((one) => reason(one, data.listed)));
    if (data.examples.length) parts.push(examples(data));
    const foot = make('div', 'be-actions');
    foot.appendChild(button('be-button', say('download'), '', () => download('never-produced.csv', 'text/csv', `\ufeff${csvOf([['id', 'piece', 'bytes', 'why'], ...data.reasons.flatMap((one) => one.tokens.map(([id, hex]) => [id, asText(fromHex(hex)) === null ? `<${toHex(fromHex(hex))}>` : JSON.stringify(asText(fromHex(hex))), toHex(fromHex(hex)), one.why]))])}`)));
    if (n) parts.push(foot);
  }
  root.replaceChildren(...parts);
};
draw();
watch('value', draw);
onLanguage(draw);

// The parrot rate over a whole vocabulary. value: {state: 'idle'|'working'|'done', done, total, rate, tokens, exceptions,
//   attractors: [[id, piece, count, norm]], cycles: [[[id, piece]]], line: {en, zh}}. `edit`: {action: 'start'|'cancel'}

const root = element.querySelector('.be-rate');
const draw = () => {
  const data = read();
  if (data.refused) { root.replaceChildren(notYet(data)); return; }
  const parts = [];
  if (data.state === 'working') {
    const bar = make('progress', 'be-progress');
    bar.max = 1;
    bar.value = data.done;
    bar.setAttribute('aria-label', say('rate_working'));
    parts.push(make('p', 'be-small', say('rate_working')), bar, button('be-button', say('table_cancel'), '', () => trigger('edit', { action: 'cancel' })));
  } else parts.push(button('be-button be-primary', say('rate_start'), '', () => trigger('select', { action: 'start' })));
  if (data.state === 'done') {
    const line = make('p', 'be-sentence', both(data.line));
    line.setAttribute('aria-live', 'polite');
    parts.push(line, make('h4', '', say('attractors')));
    const table = make('table', 'be-table'), head = make('tr'), thead = make('thead'), body = make('tbody');
    ['token', 'taken', 'norm'].forEach((key, i) => { const th = make('th', i ? 'be-n' : '', say(key)); th.scope = 'col'; head.appendChild(th); });
    thead.appendChild(head);
    data.attractors.forEach(([id, piece, count, norm]) => {
      const tr = make('tr'), name = make('td');
      fill(name, encoder.encode(piece));
      name.appendChild(make('small', 'be-id', id));
      tr.append(name, make('td', 'be-n', number(count)), make('td', 'be-n', number(norm, 3)));
      body.appendChild(tr);
    });
    table.append(thead, body);
    parts.push(table);
    if (data.cycles.length) {
      parts.push(make('h4', '', say('cycles')));
      data.cycles.forEach((cycle) => {
        const row = make('div', 'be-pieces');
        cycle.forEach(([id, piece]) => {
          const node = make('span', 'be-piece');
          fill(node, encoder.encode(piece));
          node.appendChild(make('small', 'be-id', id));
          row.append(node, '→');
        });
        row.append('↺');
        parts.push(row);
      });
    }
  }
  root.replaceChildren(...parts);
};
draw();
watch('value', draw);
onLanguage(draw);

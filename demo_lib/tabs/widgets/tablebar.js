// Which table answers: its facts, or what fetching it would take, with progress and cancel.
// value: {state: 'ready'|'missing'|'loading'|'failed', label, rows, dim, dtype, mb, where, license, why: {en, zh},
//   problem: {en, zh}, done, total}. `select` carries {action: 'fetch'|'cancel'}.

const root = element.querySelector('.be-tablebar');
const mb = (bytes) => number(bytes / 1e6, bytes < 1e8 ? 1 : 0);

const draw = () => {
  const d = read(), box = make('div', 'be-table-line');
  root.dataset.state = d.state || 'loading';
  root.setAttribute('aria-live', 'polite');
  if (!d.state) { root.replaceChildren(make('p', 'be-small', say('table_asking'))); return; }
  if (d.label) box.appendChild(make('b', '', d.label));
  if (d.state === 'ready') {
    box.append(
      make('span', '', say('table_shape', { rows: number(d.rows), dim: number(d.dim) })),
      make('span', '', say('table_size', { dtype: d.dtype, mb: mb(d.nbytes) })),
      make('span', '', d.where), make('span', '', d.license),
    );
  }
  const parts = [box];
  if (d.state === 'loading') {
    const bar = make('progress', 'be-progress');
    bar.max = d.total || 1;
    bar.value = d.done || 0;
    bar.setAttribute('aria-label', say('table_fetching', { label: d.label }));
    box.append(make('span', '', d.total ? say('table_progress', { done: mb(d.done), total: mb(d.total) }) : say('table_opening')), bar);
    box.appendChild(button('be-button', say('table_cancel'), '', () => trigger('edit', { action: 'cancel' })));
  }
  if (d.why) parts.push(make('p', 'be-small', both(d.why)));
  if (d.problem) {
    const note = make('p', `be-note ${d.state === 'missing' ? '' : 'be-bad'}`, both(d.problem));
    note.setAttribute('role', d.state === 'missing' ? 'status' : 'alert');
    parts.push(note);
  }
  if (d.state === 'missing' || d.state === 'failed') parts.push(button('be-button be-primary', say(d.state === 'missing' ? 'table_fetch' : 'table_again'), '', () => trigger('select', { action: 'fetch' })));
  root.replaceChildren(...parts);
};
draw();
watch('value', draw);
onLanguage(draw);

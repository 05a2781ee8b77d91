// Which table answers: its facts, or what fetching it would take, with progress and cancel.
// value: {state: 'looking'|'ready'|'missing'|'loading'|'stopped'|'failed', label, rows, dim, dtype, nbytes, source, where,
//   license, why: {en, zh}, problem: {en, zh}, done, total}. `select`: fetch it; `edit`: cancel; `focus`: seen again.

const root = element.querySelector('.be-tablebar');
const mb = (bytes) => number(bytes / 1e6, bytes < 1e8 ? 1 : 0);
const ORIGINS = { hub: 'table_hub', wheels: 'table_wheels', folder: 'table_from_folder' };
const BEGIN = { missing: 'table_fetch', stopped: 'table_go_on', failed: 'table_again' };

const facts = (d) => [
  say('table_shape', { rows: number(d.rows), dim: number(d.dim) }),
  say('table_size', { dtype: d.dtype, mb: mb(d.nbytes) }),
  say(ORIGINS[d.source], { where: d.where }),
  d.license,
].filter(Boolean);

const far = (d) => {
  if (!d.total) return say('table_starting');
  return d.done < d.total ? say('table_progress', { done: mb(d.done), total: mb(d.total) }) : say('table_opening');
};

// While it goes on only the figures change: a button that is replaced between press and release is never clicked
const moved = (d) => {
  const bar = root.querySelector('progress');
  if (d.state !== 'loading' || root.dataset.state !== 'loading' || !bar || root.querySelector('b').textContent !== d.label) return false;
  root.querySelector('.be-far').textContent = far(d);
  if (d.total) { bar.max = d.total; bar.value = d.done; }
  return true;
};

const draw = () => {
  const d = read(), box = make('div', 'be-table-line'), parts = [box];
  root.dataset.state = d.state || 'looking';
  root.setAttribute('aria-busy', d.state === 'loading');
  if (!d.state) { root.replaceChildren(make('p', 'be-small', say('table_asking'))); return; }
  box.appendChild(make('b', '', d.label));
  const cancel = () => button('be-button', say('table_cancel'), '', () => trigger('edit', {}));
  if (d.state === 'looking') box.append(make('span', '', say('table_looking')), cancel());
  if (d.state === 'ready') box.append(...facts(d).map((fact) => make('span', '', fact)));
  if (d.state === 'loading') {
    const bar = make('progress', 'be-progress');
    if (d.total) { bar.max = d.total; bar.value = d.done; }
    bar.setAttribute('aria-label', say('table_fetching', { label: d.label }));
    box.append(make('span', 'be-far', far(d)), bar, cancel());
  }
  if (d.why) parts.push(make('p', 'be-small', both(d.why)));
  if (d.state === 'stopped') parts.push(make('p', 'be-note', say('table_stopped')));
  if (d.problem) {
    const note = make('p', `be-note ${d.state === 'failed' ? 'be-bad' : ''}`, both(d.problem));
    note.setAttribute('role', d.state === 'failed' ? 'alert' : 'status');
    parts.push(note);
  }
  if (d.state in BEGIN) parts.push(button('be-button be-primary', say(BEGIN[d.state]), '', () => trigger('select', {})));
  root.replaceChildren(...parts);
};
const show = () => inPlace(root, draw);
show();
watch('value', () => moved(read()) || show());
onLanguage(show);

// An answer that got lost on a bad network is asked for again
let asked = 0;
const ask = () => {
  if (!element.isConnected || read().state || asked > 5) return;
  if (asked) trigger('expand');
  asked += 1;
  setTimeout(ask, 15000);
};

// Who comes back to this tab may have fetched the table in another
let away = false;
const sight = new IntersectionObserver(([entry]) => {
  if (!element.isConnected) sight.disconnect();
  else if (entry.isIntersecting && away) trigger('focus');
  away = !entry.isIntersecting;
  if (!asked && !away) ask();
}, { rootMargin: '100000px' });
sight.observe(element);

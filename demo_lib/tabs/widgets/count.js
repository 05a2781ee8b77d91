// The button that counts, and how far the count is. value: {state: 'waiting'|'opening'|'running'|'over', done, total,
//   speed} in bytes. `select`: count; `edit`: cancel. Those who have something to bring first are asked by the window's
//   event `both-ends-count`.

const root = element.querySelector('.be-count'), mb = (bytes) => number(bytes / 1e6, 1);
let pending = null, asked = 0;
const press = button('be-button be-primary', '', '', () => go()), stop = button('be-button', '', '', () => leave());
const bar = make('progress', 'be-progress'), far = make('span', 'be-far');
far.setAttribute('role', 'status');
root.append(press, stop, bar, far);

const draw = () => {
  const d = pending ? { state: pending } : read(), busy = !!d.state && d.state !== 'over', running = d.state === 'running';
  press.textContent = say('count');
  stop.textContent = say('cancel');
  press.disabled = busy;
  stop.hidden = bar.hidden = !busy;
  if (busy && document.activeElement === press) stop.focus({ preventScroll: true });
  if (running) { bar.max = d.total; bar.value = d.done; } else bar.removeAttribute('value');
  bar.setAttribute('aria-label', say('count'));
  far.textContent = running ? [say('count_running', { done: mb(d.done), total: mb(d.total) }), d.speed && say('count_speed', { speed: mb(d.speed) })].filter(Boolean).join(' · ') : busy ? say(`count_${d.state}`) : '';
};
const go = async () => {
  const mine = (asked += 1), others = [];
  pending = 'sending';
  draw();
  window.dispatchEvent(new CustomEvent('both-ends-count', { detail: others }));
  const fine = (await Promise.all(others)).every(Boolean);
  if (mine !== asked) return;
  pending = fine ? 'waiting' : null;
  draw();
  if (fine) trigger('select', {});
};
const leave = () => {
  const sent = pending !== 'sending';
  asked += 1;
  pending = null;
  draw();
  if (sent) trigger('edit', {});
};
draw();
watch('value', () => { if (pending !== 'sending') pending = null; draw(); });
onLanguage(draw);

// Decoding a stream of ids, one at a time, in each column.
// value: {columns: [{label, loading?, error?} | {label, of, steps: [[id, hex, naive, shown, heldHex]]}]}

const root = element.querySelector('.be-stream');
let at = null, timer = null;

const draw = () => {
  clearInterval(timer);
  timer = null;
  const data = read();
  if (!data.columns) {
    root.replaceChildren(notYet(data));
    return;
  }
  const most = Math.max(0, ...data.columns.map((c) => c.steps?.length || 0));
  if (at === null || at > most) at = most;
  const range = make('input', 'be-range'), grid = make('div', 'be-columns');
  range.type = 'range';
  range.min = 0;
  range.max = most;
  range.value = at;
  range.setAttribute('aria-label', say('stream_slider'));
  grid.style.setProperty('--be-n', data.columns.length);
  const shows = data.columns.map((c) => {
    const box = make('section', 'be-column');
    box.appendChild(make('h3', '', c.label));
    grid.appendChild(box);
    if (c.loading) { box.appendChild(make('p', 'be-loading', say('loading_model', { label: c.label }))); return () => {}; }
    if (c.error) { box.appendChild(make('p', 'be-note be-bad', both(c.error))); return () => {}; }
    const count = make('p', 'be-small'), list = make('dl', 'be-streams');
    const line = (key, cls) => {
      const row = make('div'), value = make('dd', cls);
      row.append(make('dt', '', say(key)), value);
      list.appendChild(row);
      return value;
    };
    const naive = line('stream_naive', 'be-out'), shown = line('stream_shown', 'be-out'), held = line('stream_held', 'be-hex');
    box.append(count, list);
    if (c.of > c.steps.length) box.appendChild(make('p', 'be-small', say('stream_short', { n: number(c.steps.length) })));
    return (n) => {
      const k = Math.min(n, c.steps.length), sofar = c.steps.slice(0, k), last = sofar[k - 1];
      count.textContent = say('stream_at', { n: number(k), of: number(c.of) }) + (last ? ` · ${say('stream_last')} ${last[0]}` : '');
      naive.replaceChildren(...sofar.flatMap((step) => step[2].split(/(\ufffd+)/).map((text) => (text.startsWith('\ufffd') ? make('span', 'be-rubbish', text) : document.createTextNode(text)))));
      shown.textContent = sofar.map((step) => step[3]).join('');
      held.textContent = last && last[4] ? toHex(fromHex(last[4])) : say('stream_none');
      held.classList.toggle('be-held', Boolean(last && last[4]));
    };
  });
  const show = () => { range.setAttribute('aria-valuetext', `${at} / ${most}`); shows.forEach((f) => f(at)); };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = say('play'); };
  const play = button('be-button', say('play'), '', () => {
    if (timer) { stop(); return; }
    if (at >= most) at = 0;
    play.textContent = say('pause');
    timer = setInterval(() => { at = Math.min(most, at + 1); range.value = at; show(); if (at >= most) stop(); }, 600);
  });
  range.addEventListener('input', () => { if (timer) stop(); at = Number(range.value); show(); });
  const controls = make('div', 'be-controls');
  controls.append(play, range);
  root.replaceChildren(controls, grid);
  show();
};
draw();
watch('value', () => { at = null; inPlace(root, draw); });
onLanguage(draw);

// The model with no layers, step by step. value: {prompt: [[id, piece]], shapes: [..], steps: [{id, piece, own: {rank,
//   probability}, top: [[id, piece, logit, probability]], chosen}], text, line: {en, zh}}

const root = element.querySelector('.be-parrot');
let at = 0;
// Of a quarter million tokens even the likeliest may have little: two digits are shown, however small
const percent = (share) => `${share >= 0.001 || !share ? number(100 * share, 2) : (100 * share).toPrecision(2)}%`;

const draw = () => {
  const data = read();
  if (!data.steps) { root.replaceChildren(notYet(data)); return; }
  at = Math.min(at, Math.max(0, data.steps.length - 1));
  const line = make('p', 'be-sentence', both(data.line)), tape = make('div', 'be-pieces be-tape');
  line.setAttribute('aria-live', 'polite');
  data.prompt.forEach(([id, piece]) => {
    const node = make('span', 'be-piece');
    fill(node, encoder.encode(piece));
    tape.appendChild(node);
  });
  tape.appendChild(make('span', 'be-small', '→'));
  data.steps.forEach((step, k) => {
    const node = button(`be-pre ${k === at ? 'be-here' : ''}`, '', say('step_label', { n: k + 1, piece: seen(encoder.encode(step.chosen[1])) }), () => { at = k; draw(); });
    fill(node, encoder.encode(step.chosen[1]));
    if (k === at) node.setAttribute('aria-current', 'step');
    tape.appendChild(node);
  });
  const step = data.steps[at], rows = make('div', 'be-scores');
  if (step) {
    const input = make('p', 'be-small');
    const piece = make('span', 'be-piece');
    fill(piece, encoder.encode(step.piece));
    input.append(say('parrot_input', { n: at + 1 }), ' ', piece, ' ', say('parrot_own', { rank: number(step.own.rank), percent: percent(step.own.probability) }));
    root.replaceChildren(line, tape, input, rows);
    const low = Math.min(...step.top.map((t) => t[2])), high = Math.max(...step.top.map((t) => t[2])), base = Math.min(0, low);
    step.top.forEach(([id, text, logit, probability]) => {
      const row = make('div', `be-score ${id === step.id ? 'be-own' : ''} ${id === step.chosen[0] ? 'be-chosen' : ''}`), name = make('span', 'be-score-name'), track = make('span', 'be-bar-track'), bar = make('span', 'be-bar-fill');
      fill(name, encoder.encode(text));
      name.appendChild(make('small', 'be-id', id));
      bar.style.width = `${(100 * (logit - base)) / (high - base || 1)}%`;
      track.appendChild(bar);
      row.append(name, track, make('span', 'be-n', number(logit, 3)), make('span', 'be-n', percent(probability)));
      rows.appendChild(row);
    });
    if (data.shapes) root.appendChild(make('p', 'be-small be-shapes', data.shapes.join('   ')));
  } else root.replaceChildren(line, tape);
};
draw();
watch('value', draw);
onLanguage(draw);

// Files to be counted: chosen or dropped, uploaded one by one, and each looked at. The browser keeps them, so that they
// can be counted once more: the server has deleted them by then. props: limit (bytes), most (files), kinds (endings).
// value: {files: [{key, name, problem} or {key, name, size, kind, encoding, guess, columns, column, split, sample}], seq,
//   refused}. `select`: {seq, files: [{key, name, path}]}, without a path where the server has it already.

const root = element.querySelector('.be-files'), MB = 1e6;
let chosen = [], looks = new Map(), message = null, sending = null, last = 0, seq = 0, line = Promise.resolve();
const answers = new Map();
const box = make('div', 'be-drop'), note = make('p', 'be-note be-bad'), list = make('ul', 'be-file-list'), input = make('input'), head = make('div', 'be-files-head');
Object.assign(input, { type: 'file', multiple: true, accept: props.kinds.join(','), hidden: true });
note.setAttribute('role', 'alert');
root.append(head, box, note, list, input);

const size = (bytes) => (bytes < MB ? `${number(bytes / 1000, 1)} kB` : `${number(bytes / MB, 1)} MB`);
const facts = (look) => [
  `.${look.kind}`, size(look.size), look.encoding && (look.guess ? say('file_guess', { encoding: look.encoding }) : look.encoding),
  say(`file_split_${look.split}`), look.column && say('file_column', { column: look.column }),
].filter(Boolean).join(' · ');
const row = (one) => {
  const item = make('li', 'be-file'), look = looks.get(one.key), top = make('div', 'be-file-head');
  top.append(make('b', '', one.name), button('be-icon', '✕', say('files_remove', { name: one.name }), () => change(chosen.filter((other) => other !== one))));
  item.append(top);
  if (sending === one) item.append(make('p', 'be-small', say('files_uploading', { name: one.name })));
  else if (one.failed) item.append(make('p', 'be-note be-bad', say('files_failed', { name: one.name })));
  else if (look?.problem) item.append(make('p', 'be-note be-bad', both(look.problem)));
  else if (look) {
    item.append(make('p', 'be-small', facts(look)));
    if (look.columns.length) item.append(make('p', 'be-small be-file-columns', say('file_columns', { columns: look.columns.join(', ') })));
    look.sample.slice(0, 2).forEach((text) => item.append(make('p', 'be-file-sample', text)));
  }
  return item;
};
const draw = () => {
  head.replaceChildren(make('span', 'be-files-title', say(chosen.length ? 'files_count' : 'files_title')));
  if (chosen.length > 1) head.append(button('be-link', say('files_clear'), '', () => change([])));
  const first = make('p', 'be-drop-line', say('files_drop'));
  first.append(' ', button('be-button', say('files_choose'), '', () => input.click()));
  box.replaceChildren(first, make('p', 'be-small', say('files_kinds', { kinds: props.kinds.filter((kind) => !/text|markdown|ndjson/.test(kind)).join(' '), n: props.most, mb: props.limit / MB })));
  note.textContent = message ? message() : '';
  list.replaceChildren(...chosen.map(row));
};
const redraw = () => inPlace(root, draw);

const bring = async () => {
  const mine = (seq += 1), all = [...chosen], files = [];
  for (const one of all) {
    let path = null;
    if (!one.held) {
      sending = one;
      one.failed = false;
      redraw();
      // a name of its own: two who upload the same file at the same moment must not meet on the server
      const name = `${Math.random().toString(36).slice(2)}${(one.name.match(/\.\w+$/) || [''])[0]}`;
      try { ({ path } = await upload(new File([one.file], name))); } catch { one.failed = true; }
    }
    if (one.held || path) files.push({ key: one.key, name: one.name, path });
  }
  sending = null;
  const answer = new Promise((done) => { answers.set(mine, done); setTimeout(done, 60000); });
  trigger('select', { seq: mine, files });
  await answer;
  answers.delete(mine);
  redraw();
};
const send = () => (line = line.then(bring));
const change = (now) => { // more than the server takes is not even sent
  const bytes = now.reduce((sum, one) => sum + one.file.size, 0);
  if (now.length > props.most) message = () => say('files_many', { n: now.length, most: props.most });
  else if (bytes > props.limit) message = () => say('files_big', { size: number(bytes / MB, 1), mb: props.limit / MB });
  else { message = null; chosen = now; send(); }
  redraw();
};
const add = (files) => change([...chosen, ...[...files].map((file) => ({ key: (last += 1), name: file.name, file }))]);

input.addEventListener('change', () => { add(input.files); input.value = ''; });
['dragenter', 'dragover'].forEach((name) => root.addEventListener(name, (event) => { event.preventDefault(); box.classList.add('be-over'); }));
['dragleave', 'drop'].forEach((name) => root.addEventListener(name, () => box.classList.remove('be-over')));
root.addEventListener('drop', (event) => { event.preventDefault(); add(event.dataTransfer.files); });

watch('value', () => {
  const data = read();
  if (!data.files) return;
  looks = new Map(data.files.map((look) => [look.key, look]));
  if (data.seq !== undefined) {
    chosen.forEach((one) => { one.held = looks.has(one.key); });
    message = data.refused ? () => both(data.refused) : null;
    answers.get(data.seq)?.();
  }
  redraw();
});

// Before a count all files have to be there; it takes them with it. Whoever asks waits for what is added to its list.
const ready = async () => {
  await (chosen.every((one) => one.held) ? line : send());
  const fine = chosen.every((one) => one.held);
  if (fine) chosen.forEach((one) => { one.held = false; });
  return fine;
};
const listen = ({ detail }) => {
  if (!element.isConnected) window.removeEventListener('both-ends-count', listen);
  else if (chosen.length) detail.push(ready());
};
window.addEventListener('both-ends-count', listen);
draw();
onLanguage(redraw);

// Share: the link of the page as it is, or of a lesson, with a QR code large enough for a projector. Runs in <head>.
(() => {
  const ends = window.bothEnds, { make, say } = ends;
  let qr = null; // asks the server for the squares of a QR code

  const copy = async (field) => {
    try { await navigator.clipboard.writeText(field.value); } catch {
      field.select(); // pages on plain http have no clipboard of their own
      document.execCommand('copy');
    }
  };
  // The squares as one drawing, with the four empty squares around that readers need; dark on white also in the dark
  const picture = (rows) => {
    const size = rows.length + 8, space = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(space, 'svg'), path = document.createElementNS(space, 'path');
    const dark = rows.flatMap((row, y) => [...row.matchAll(/1+/g)].map((run) => `M${run.index + 4} ${y + 4}h${run[0].length}v1h-${run[0].length}z`));
    path.setAttribute('d', dark.join(''));
    for (const [name, value] of [['viewBox', `0 0 ${size} ${size}`], ['role', 'img'], ['aria-label', say('lesson.qr')], ['shape-rendering', 'crispEdges']]) svg.setAttribute(name, value);
    svg.append(path);
    return svg;
  };
  const drawn = async (link, box) => {
    box.replaceChildren(make('p', { cls: 'be-quiet' }, say('lesson.qr_wait')));
    let answer;
    try { answer = await qr(link); } catch { answer = {}; }
    if (answer.rows) box.replaceChildren(picture(answer.rows));
    else box.replaceChildren(make('p', { cls: 'be-quiet' }, say(answer.long ? 'lesson.qr_long' : 'lesson.qr_failed', { n: link.length.toLocaleString('en-US') })));
  };

  // `key`: the sentence at the top; `notes`: keys of further ones
  const show = (link, key, notes) => {
    const field = make('input', { type: 'text', readOnly: true, id: 'share-link', 'aria-label': say('lesson.link'), onfocus: () => field.select() });
    field.value = link;
    const copied = make('span', { role: 'status', cls: 'be-quiet' });
    const copyIt = async () => {
      await copy(field);
      copied.textContent = say('lesson.copied');
      setTimeout(() => { copied.textContent = ''; }, 3000);
    };
    const code = make('div', { cls: 'be-qr' });
    const local = /^(localhost|127\.|\[::1\])/.test(location.hostname) ? ['lesson.local'] : [];
    const dialog = make('dialog', { cls: 'be-dialog be-share', 'aria-labelledby': 'share-title' },
      make('div', { cls: 'be-dialog-top' }, make('h2', { id: 'share-title' }, say('lesson.share')),
        make('button', { type: 'button', cls: 'be-tool', onclick: () => dialog.close() }, say('lesson.close'))),
      make('p', {}, say(key)),
      make('div', { cls: 'be-link-row' }, field, make('button', { type: 'button', cls: 'be-tool be-strong', onclick: copyIt }, say('lesson.copy'))),
      make('p', { cls: 'be-quiet' }, make('a', { href: link, target: '_blank', rel: 'noopener' }, say('lesson.open_it')), ' ', copied),
      ...[...notes, ...local].map((note) => make('p', { cls: 'be-link-note' }, say(note))), code);
    dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal(); // Esc closes it, and the focus goes back to where it was
    copyIt();
    drawn(link, code);
  };

  const share = async () => {
    if (ends.lesson) return show(ends.address(new URLSearchParams([...new URLSearchParams(location.search)].filter(([name]) => !name.startsWith('__') && name !== 'step' && name !== 'lang')).toString()), 'lesson.share_lesson', []);
    const { query, uploaded, long } = await ends.query();
    return show(ends.address(query), 'lesson.share_intro', [...(uploaded ? ['lesson.uploaded'] : []), ...(long ? ['lesson.too_long'] : [])]);
  };
  const header = (element, server) => {
    qr = server.squares;
    element.querySelector('.be-share-button').addEventListener('click', share);
  };
  Object.assign(ends, { shareLink: show, shareHeader: header });
})();

// The panel in which a teacher puts a lesson together beside the page itself. A lesson is data, as demo_lib/lesson.py has
// it, and goes into its link; what is being prepared stays in this browser tab until it is closed. Runs in <head>.
(() => {
  const ends = window.bothEnds, { make, say } = ends;
  const KEY = 'both-ends-lesson-draft', MOST_STEPS = 30, MOST_QUESTIONS = 6;
  // pages: {tab, all: every tab's values, tabs, hide, lock, text, ask}; names of other tabs stand after their room
  let draft = null, panel = null, opener = null, openStep = -1;

  const words = (text) => ends.told(text || '');
  const keep = () => { try { sessionStorage.setItem(KEY, JSON.stringify(draft)); } catch { /* it lasts as long as the page */ } };
  const load = () => {
    if (draft) return;
    try { draft = JSON.parse(sessionStorage.getItem(KEY)); } catch { /* none */ }
    const lesson = ends.lesson?.lesson;
    if (!draft?.pages?.length && lesson) {
      draft = { title: words(lesson.title), pages: lesson.pages.map((page) => ({
        hide: [], lock: [], tabs: Object.keys(ends.parts()), ...page, all: page.values || {}, text: words(page.text),
        ask: (page.ask || []).map((one) => ({ of: one.of, text: words(one.text) })),
      })) };
    }
    draft = draft?.pages ? draft : { title: '', pages: [] };
  };

  const roomOf = (name, tab) => (name.includes('.') ? name.slice(0, name.indexOf('.')) : tab);
  // The lesson as it goes into a link: of each page the values of the tabs that can be seen
  const lesson = () => ({ title: draft.title, pages: draft.pages.map((page) => {
    const seen = (name) => page.tabs.includes(roomOf(name, page.tab));
    const parts = { tab: page.tab, values: Object.fromEntries(Object.entries(page.all).filter(([name]) => seen(name))),
      tabs: page.tabs.length < Object.keys(ends.parts()).length ? page.tabs : [], hide: page.hide, lock: page.lock, text: page.text,
      ask: page.ask.filter((one) => one.of) };
    return Object.fromEntries(Object.entries(parts).filter(([, part]) => (Array.isArray(part) ? part.length : typeof part === 'object' ? Object.keys(part).length : part)));
  }) });
  const link = async () => {
    const z = await ends.packed({ v: 1, lesson: lesson() });
    return z && ends.address(`z=${z}`);
  };

  const here = () => { const { tab, values } = ends.present(); return { tab, all: values }; };
  const add = () => {
    const page = here();
    draft.pages.push({ ...page, tabs: [page.tab], hide: [], lock: [], text: '', ask: [] });
    openStep = draft.pages.length - 1;
    redraw();
    panel.querySelector('details[open] textarea')?.focus();
  };

  const title = (room) => say(`${room}.tab`);
  // Parts of a tab with names that tell them apart
  const partsOf = (room) => {
    const all = [['intro', 'lesson.intro', '', false], ...ends.parts()[room].filter((part) => part[6]).map(([name, , , label, prop, result]) => [name, label, prop, result])];
    const counts = {};
    return all.map(([name, label, prop, result]) => {
      const text = say(label), n = counts[text] = (counts[text] || 0) + 1;
      return { name, text: n > 1 ? `${text} (${n})` : text, input: !!prop, result };
    });
  };
  const field = (label, node) => make('label', { cls: 'be-field' }, make('span', { cls: 'be-quiet' }, label), node);
  const text = (tag, value, most, hint, write) => {
    const node = make(tag, { maxlength: String(most), placeholder: hint, dir: 'auto', ...(tag === 'textarea' ? { rows: '3' } : { type: 'text' }) });
    node.value = value;
    node.addEventListener('input', () => { write(node.value); keep(); });
    return node;
  };
  const choose = (options, value, write, label) => {
    const node = make('select', label ? { 'aria-label': label } : {}, ...options.map(([key, name]) => make('option', { value: key }, name)));
    node.value = value;
    node.addEventListener('change', () => { write(node.value); keep(); });
    return node;
  };

  const tabsSeen = (page) => make('fieldset', {}, make('legend', { cls: 'be-quiet' }, say('lesson.tabs_seen')),
    ...Object.keys(ends.parts()).map((room) => {
      const box = make('input', { type: 'checkbox', checked: page.tabs.includes(room), disabled: room === page.tab });
      box.addEventListener('change', () => {
        page.tabs = Object.keys(ends.parts()).filter((one) => (one === room ? box.checked : page.tabs.includes(one)));
        keep();
      });
      return make('label', { cls: 'be-check' }, box, title(room));
    }));
  const controls = (page) => make('fieldset', {}, make('legend', { cls: 'be-quiet' }, say('lesson.controls')),
    ...partsOf(page.tab).map(({ name, text: label, input }) => {
      const ways = [['', say('lesson.as_usual')], ...(input ? [['lock', say('lesson.lock')]] : []), ['hide', say('lesson.hide')]];
      const was = page.hide.includes(name) ? 'hide' : page.lock.includes(name) ? 'lock' : '';
      return make('label', { cls: 'be-part' }, make('span', {}, label), choose(ways, was, (way) => {
        for (const list of ['hide', 'lock']) page[list] = [...page[list].filter((one) => one !== name), ...(way === list ? [name] : [])];
      }));
    }));
  const questions = (page) => {
    const results = partsOf(page.tab).filter((part) => part.result).map((part) => [part.name, part.text]);
    return make('fieldset', {}, make('legend', { cls: 'be-quiet' }, say('lesson.questions')),
      ...page.ask.map((one, k) => make('div', { cls: 'be-question' },
        field(say('lesson.question'), text('input', one.text, 500, say('lesson.question_hint'), (typed) => { one.text = typed; })),
        field(say('lesson.covers'), choose(results, one.of, (of) => { one.of = of; })),
        make('button', { type: 'button', cls: 'be-tool', onclick: () => { page.ask.splice(k, 1); redraw(); } }, say('lesson.remove_question')))),
      page.ask.length < MOST_QUESTIONS && results.length ? make('button', { type: 'button', cls: 'be-tool', onclick: () => {
        const free = results.find(([name]) => !page.ask.some((one) => one.of === name)) || results[0];
        page.ask.push({ of: free[0], text: '' });
        redraw();
        [...panel.querySelectorAll('details[open] .be-question input')].pop()?.focus();
      } }, say('lesson.add_question')) : null);
  };

  const step = (page, i) => {
    const move = (to) => { draft.pages.splice(to, 0, ...draft.pages.splice(i, 1)); openStep = openStep === i ? to : -1; redraw(); };
    const act = (sign, key, on, go) => make('button', { type: 'button', cls: 'be-tool be-small', 'aria-label': say(key, { i: i + 1 }), title: say(key, { i: i + 1 }), disabled: !on, onclick: go }, sign);
    const taken = make('span', { role: 'status', cls: 'be-quiet' });
    const take = () => { const now = here(); Object.assign(page, now, { tabs: [...new Set([now.tab, ...(now.tab === page.tab ? page.tabs : [])])] });
      redraw(); panel.querySelector('details[open] [role=status]').textContent = say('lesson.taken'); };
    const folded = make('details', { open: i === openStep },
      make('summary', {}, `${i + 1}. ${title(page.tab)}`, make('span', { cls: 'be-quiet' }, page.text ? ` · ${page.text.slice(0, 40)}` : '')),
      field(say('lesson.words'), text('textarea', page.text, 3000, say('lesson.words_hint'), (typed) => { page.text = typed; })),
      questions(page), controls(page), tabsSeen(page),
      make('div', { cls: 'be-row' }, make('button', { type: 'button', cls: 'be-tool', onclick: take }, say('lesson.take')), taken));
    folded.addEventListener('toggle', () => { if (folded.open) openStep = i; else if (openStep === i) openStep = -1; });
    return make('li', { cls: 'be-step' }, folded, make('div', { cls: 'be-step-acts' },
      act('↑', 'lesson.up', i > 0, () => move(i - 1)), act('↓', 'lesson.down', i < draft.pages.length - 1, () => move(i + 1)),
      act('✕', 'lesson.remove', true, () => { draft.pages.splice(i, 1); openStep = -1; redraw(); })));
  };

  const redraw = () => {
    keep();
    const body = panel.querySelector('.be-panel-body'), top = body.scrollTop, some = draft.pages.length > 0;
    const wrong = make('p', { role: 'alert', cls: 'be-link-note', hidden: true }, say('lesson.lesson_long'));
    const withLink = async (go) => { const url = await link(); wrong.hidden = !!url; if (url) go(url); };
    const button = (key, cls, go, on = true) => make('button', { type: 'button', cls: `be-tool ${cls}`, disabled: !on, onclick: go }, say(`lesson.${key}`));
    body.replaceChildren(
      make('p', { cls: 'be-quiet' }, say('lesson.panel_intro')),
      field(say('lesson.title'), text('input', draft.title, 120, say('lesson.title_hint'), (typed) => { draft.title = typed; })),
      make('h3', {}, say('lesson.steps')),
      some ? make('ol', {}, ...draft.pages.map(step)) : make('p', { cls: 'be-quiet' }, say('lesson.no_steps')),
      button('add_step', some ? '' : 'be-strong', add, draft.pages.length < MOST_STEPS), wrong);
    panel.querySelector('.be-panel-end').replaceChildren(
      button('share_it', 'be-strong', () => withLink((url) => ends.shareLink(url, 'lesson.share_lesson', ends.present().uploaded ? ['lesson.uploaded'] : [])), some),
      button('try_it', '', () => withLink((url) => window.open(url, '_blank', 'noopener')), some),
      button('start_over', '', ({ target }) => { // asks once more in its own words
        if (target.dataset.sure) { draft = { title: '', pages: [] }; openStep = -1; redraw(); } else { target.dataset.sure = 'yes'; target.textContent = say('lesson.sure'); }
      }, some));
    body.scrollTop = top;
  };

  const close = () => { panel.remove(); panel = null; document.documentElement.classList.remove('be-preparing'); opener?.focus(); };
  const open = () => {
    if (panel) { close(); return; }
    load();
    panel = make('section', { cls: 'be-panel', role: 'dialog', 'aria-labelledby': 'panel-title' },
      make('div', { cls: 'be-dialog-top' }, make('h2', { id: 'panel-title' }, say('lesson.prepare')),
        make('button', { type: 'button', cls: 'be-tool', onclick: close }, say('lesson.close'))),
      make('div', { cls: 'be-panel-body' }), make('div', { cls: 'be-panel-end be-row' }));
    panel.addEventListener('keydown', (event) => { if (event.key === 'Escape') close(); });
    document.body.append(panel);
    document.documentElement.classList.add('be-preparing');
    redraw();
    panel.querySelector('input').focus();
  };
  const header = (element) => {
    opener = element.querySelector('.be-prepare-button');
    opener.addEventListener('click', open);
    window.addEventListener('both-ends-language', () => { if (panel) { close(); open(); } });
  };
  Object.assign(ends, { prepareHeader: header });
})();

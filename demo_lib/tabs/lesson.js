// A lesson as a student sees it: the words and the steps above the tabs, parts hidden or fixed, results covered until a
// guess is written. What is hidden or covered stays in the page, so that everything goes on as usual. Runs in <head>.
(() => {
  const ends = window.bothEnds, { make, say, told } = ends;
  const AWAY = 'visibility: hidden !important; position: absolute !important; inset: auto !important; width: 1px !important;'
    + ' height: 1px !important; min-width: 0 !important; margin: 0 !important; padding: 0 !important; overflow: hidden !important;';
  const APART = 'visibility: hidden !important; height: 1px !important; overflow: hidden !important; padding: 0 !important;';
  let state = null;

  const saved = {
    get: (key) => { try { return sessionStorage.getItem(key); } catch { return null; } },
    set: (key, text) => { try { sessionStorage.setItem(key, text); } catch { /* it lasts until the next step only */ } },
  };
  const guessed = (question) => `both-ends-guess|${JSON.stringify([state.lesson.title, state.step, question.at])}`;

  // Before anything is drawn: nothing that is hidden or covered is to be seen for a moment
  const begin = (opened) => {
    state = opened;
    ends.lesson = opened.lesson ? opened : null;
    const rules = opened.hide.map((selector) => `${selector} { ${AWAY} }`);
    opened.ask.forEach((question) => {
      question.guess = saved.get(guessed(question));
      rules.push(`#${question.at}:not(.be-guessed) > :not(.be-predict) { ${APART} }`);
    });
    if (rules.length) document.head.append(make('style', {}, rules.join('\n')));
    if (opened.lesson) document.documentElement.classList.add('be-in-lesson');
    if (opened.inert.length || opened.lock.length || opened.ask.length) {
      new MutationObserver(settle).observe(document.documentElement, { childList: true, subtree: true });
    }
  };

  // Parts come up late and may be drawn anew: each time, what is fixed is made so, and what is covered has its question
  const settle = () => {
    state.inert.forEach((selector) => document.querySelectorAll(selector).forEach((node) => { if (!node.inert) node.inert = true; }));
    state.lock.forEach((selector) => document.querySelectorAll(selector).forEach((node) => {
      if (node.classList.contains('be-locked')) return;
      node.classList.add('be-locked');
      node.title = say('lesson.locked');
    }));
    state.ask.forEach((question) => {
      const block = document.getElementById(question.at);
      if (!block) return;
      if (question.guess !== null && !block.classList.contains('be-guessed')) block.classList.add('be-guessed');
      if (!block.querySelector(':scope > .be-predict')) block.prepend(predict(question, block));
    });
  };

  const predict = (question, block) => {
    const id = `guess-${question.at}`, box = make('section', { cls: 'be-predict' });
    const draw = () => {
      const asked = make('p', { cls: 'be-asked' }, told(question.text));
      if (question.guess !== null) {
        box.setAttribute('aria-label', say('lesson.guess'));
        box.replaceChildren(make('h3', {}, say('lesson.guess')), asked, make('p', { cls: 'be-guess-said', dir: 'auto' }, question.guess));
        return;
      }
      const area = make('textarea', { id, rows: '2', maxlength: '1000', placeholder: say('lesson.guess_hint'), dir: 'auto' });
      const go = make('button', { type: 'submit', cls: 'be-tool be-strong', disabled: true }, say('lesson.reveal'));
      area.addEventListener('input', () => { go.disabled = !area.value.trim(); });
      const reveal = (event) => {
        event.preventDefault();
        if (!area.value.trim()) return;
        question.guess = area.value.trim();
        saved.set(guessed(question), question.guess);
        block.classList.add('be-guessed');
        draw();
        box.tabIndex = -1;
        box.focus({ preventScroll: true });
        window.dispatchEvent(new Event('resize')); // what measures its width measures again
      };
      box.setAttribute('aria-label', say('lesson.predict'));
      box.replaceChildren(
        make('h3', {}, say('lesson.predict')), asked,
        make('form', { onsubmit: reveal }, make('label', { for: id, cls: 'be-quiet' }, say('lesson.guess')), area, go),
        make('p', { cls: 'be-quiet' }, say('lesson.covered')),
      );
    };
    draw();
    window.addEventListener('both-ends-language', draw);
    return box;
  };

  const paragraphs = (text) => text.split(/\n+/).filter((line) => line.trim()).map((line) => make('p', { dir: 'auto' }, line));
  const stepTo = (step) => {
    const query = new URLSearchParams(location.search);
    query.set('step', step);
    return `?${query}`;
  };
  // All tabs and controls again, with what the student has typed
  const leave = async () => {
    const { query } = await ends.query();
    location.assign(`?${query}${ends.foreign()}`);
  };

  // In the header: the sentence about a link that could not be read in full, and the lesson
  const draw = (note, section) => {
    if (state.note) note.replaceChildren(say(state.note));
    note.hidden = !state.note;
    section.hidden = !state.lesson;
    if (!state.lesson) return;
    const { lesson, step } = state, page = lesson.pages[step - 1], many = lesson.pages.length;
    const where = many > 1 ? say('lesson.step_of', { i: step, n: many }) : say('lesson.lesson');
    const link = (to, key, cls) => make('a', { cls: `be-tool ${cls}`, href: stepTo(to), rel: key }, say(`lesson.${key === 'prev' ? 'back' : 'next'}`));
    const nav = make('nav', { cls: 'be-steps', 'aria-label': say('lesson.lesson') },
      step > 1 ? link(step - 1, 'prev', '') : make('span'), make('span', { cls: 'be-where' }, where),
      step < many ? link(step + 1, 'next', 'be-strong') : make('span'));
    section.setAttribute('aria-label', say('lesson.lesson'));
    section.replaceChildren(
      make('div', { cls: 'be-lesson-top' }, make('p', { cls: 'be-quiet' }, where),
        make('button', { type: 'button', cls: 'be-tool', title: say('lesson.leave_info'), onclick: leave }, say('lesson.leave'))),
      told(lesson.title) ? make('h2', { dir: 'auto' }, told(lesson.title)) : null, ...paragraphs(told(page.text || '')),
    );
    document.querySelector('.be-steps')?.remove();
    if (many > 1) document.body.append(nav); // at the end, where one is when the step is done
  };
  const header = (element) => {
    const note = element.querySelector('.be-link-note'), section = element.querySelector('.be-lesson');
    draw(note, section);
    window.addEventListener('both-ends-language', () => draw(note, section));
  };

  Object.assign(ends, { openLesson: begin, lessonHeader: header });
})();

// The ready lessons as cards. value: [{name, title, learn, minutes, steps, tabs}], title and learn by language.
// Opening one is a link like any other, so that it can also go into a new tab.

const root = element.querySelector('.be-lessons');
const card = ({ name, title, learn, minutes, steps, tabs }) => {
  const node = make('li', 'be-lesson-card'), named = title[language()];
  node.dataset.key = name;
  const heading = make('h3', '', named);
  const facts = make('p', 'be-lesson-facts', `${say('minutes', { n: minutes })} · ${say('steps', { n: steps })}`);
  const uses = make('ul', 'be-lesson-tabs');
  uses.setAttribute('aria-label', say('uses'));
  uses.append(...tabs.map((tab) => make('li', '', words()[`${tab}.tab`] ?? tab)));
  const begin = make('a', 'be-tool be-strong', say('begin'));
  begin.href = `?lesson=${name}${bothEnds.foreign()}`;
  begin.setAttribute('aria-label', say('begin_it', { title: named }));
  const share = button('be-tool', say('share'), '', () => bothEnds.shareLink(bothEnds.address(`lesson=${name}`), 'lesson.share_lesson', []));
  share.setAttribute('aria-label', say('share_it', { title: named }));
  const acts = make('div', 'be-lesson-acts');
  acts.append(begin, share);
  node.append(heading, facts, make('p', '', learn[language()]), uses, acts);
  return node;
};
const draw = () => {
  root.setAttribute('role', 'region');
  root.setAttribute('aria-label', say('list'));
  const list = make('ul', 'be-lesson-cards');
  list.append(...read().map(card));
  root.replaceChildren(list);
};
draw();
watch('value', draw);
onLanguage(() => inPlace(root, draw));

// A row of examples to choose from. value: [{en, 'zh-CN'}], one button each; `select` carries the index.

const root = element.querySelector('.be-picks');
const draw = () => {
  const list = read();
  root.setAttribute('role', 'group');
  root.setAttribute('aria-label', say('examples'));
  root.replaceChildren(...(Array.isArray(list) ? list : []).map((pick, index) => {
    const node = button('be-pick', pick[language()], '', () => trigger('select', { index }));
    return node;
  }));
};
draw();
watch('value', draw);
onLanguage(draw);

// A row of examples to choose from. value: [{en, 'zh-CN'}], one button each; `select` carries the index.

const root = element.querySelector('.be-picks');
const draw = () => {
  const value = read(), list = Array.isArray(value) ? value : value.picks || [];
  root.setAttribute('role', 'group');
  root.setAttribute('aria-label', say('examples'));
  root.replaceChildren(...list.map((pick, index) => {
    const node = button('be-pick', pick[language()], '', () => {
      // the choice goes into the value, so that of two quick ones the last counts, whichever is answered first
      props.value = JSON.stringify({ picks: list, chosen: index });
      trigger('select', { index });
    });
    return node;
  }));
};
draw();
watch('value', () => inPlace(root, draw));
onLanguage(draw);

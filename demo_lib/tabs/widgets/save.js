// Saves what the server sends as a file. `select` asks for it; value: {name, csv, n} or {refused}.

const root = element.querySelector('.be-save');
let asked = false;
const draw = () => {
  const data = read();
  const press = button('be-button', say('save'), '', () => { asked = true; press.disabled = true; trigger('select', {}); });
  root.replaceChildren(press);
  if (data.refused) root.appendChild(notYet(data));
};
draw();
watch('value', () => {
  const data = read();
  if (asked && data.csv) download(data.name, 'text/csv', `\ufeff${data.csv}`);
  asked = false;
  draw();
});
onLanguage(draw);

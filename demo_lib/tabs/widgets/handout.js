// A file that the server has made of what is on the page, saved by the browser. value: {name, type, text, n} or {refused}.

const root = element.querySelector('.be-handout');
const draw = () => root.replaceChildren(...(read().refused ? [notYet(read())] : []));
watch('value', () => {
  const data = read();
  if (data.text) download(data.name, data.type, `${data.type === 'text/csv' ? '\ufeff' : ''}${data.text}`);
  window.dispatchEvent(new CustomEvent('both-ends-handout'));
  draw();
});
onLanguage(draw);

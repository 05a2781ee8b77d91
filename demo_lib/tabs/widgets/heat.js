// A matrix of numbers between -1 and 1 as a heat map. value: {words, matrix, pair?: {en, zh}, notes?: [{en, zh}]}

const root = element.querySelector('.be-heat');
const shade = (x) => `color-mix(in srgb, var(${x < 0 ? '--be-end' : '--be-accent'}) ${(Math.min(1, Math.abs(x)) * 45).toFixed(1)}%, var(--be-surface))`;

const draw = () => {
  const data = read();
  if (!data.words) { root.replaceChildren(notYet(data)); return; }
  const table = make('table', 'be-heat-table'), head = make('tr'), thead = make('thead'), body = make('tbody');
  head.appendChild(make('td'));
  data.words.forEach((word) => { const th = make('th', '', word); th.scope = 'col'; head.appendChild(th); });
  thead.appendChild(head);
  data.matrix.forEach((row, i) => {
    const tr = make('tr'), th = make('th', '', data.words[i]);
    th.scope = 'row';
    tr.appendChild(th);
    row.forEach((x, j) => {
      const td = make('td', '', number(x, 2));
      td.style.background = shade(x);
      td.title = `cos(${data.words[i]}, ${data.words[j]}) = ${number(x, 3)}`;
      tr.appendChild(td);
    });
    body.appendChild(tr);
  });
  table.append(thead, body);
  const scroll = make('div', 'be-scroll');
  scroll.tabIndex = 0;
  scroll.setAttribute('role', 'region');
  scroll.setAttribute('aria-label', say('heat_label'));
  scroll.appendChild(table);
  root.replaceChildren(...(data.pair ? [make('p', 'be-sentence', both(data.pair))] : []), scroll, ...(data.notes || []).map((note) => make('p', 'be-small', both(note))));
};
draw();
watch('value', draw);
onLanguage(draw);

// What is in one vocabulary or in two: by script, by length, the longest tokens, the special ones.
// value: {kinds: [name], columns: [{label, tokens, kinds: {name: n}, both: {name: n} | null, spaced, mean,
//   bytes: [[length, n]], characters: [[length, n]], longest: [[id, hex]], special: [[name, id]], specials}]}

const root = element.querySelector('.be-contents');
const percent = (n, of, digits = 1) => `${number((100 * n) / Math.max(1, of), digits)}%`;
const heads = (columns) => {
  const grid = make('div', 'be-columns');
  grid.style.setProperty('--be-n', columns.length);
  columns.forEach((c, k) => {
    const box = make('section', 'be-column be-voc-head'), list = make('dl', 'be-figures');
    box.append(make('h3', `be-voc-${k}`, say('size_of', { label: c.label, n: number(c.tokens) })));
    [['mean_bytes', number(c.mean, 2)], ['spaced', `${number(c.spaced)} (${percent(c.spaced, c.tokens)})`], ['not_text', number(c.kinds.bytes)], ['special_count', number(c.kinds.special)]].forEach(([key, value]) => {
      const row = make('div');
      row.append(make('dt', '', say(key)), make('dd', '', value));
      list.appendChild(row);
    });
    box.appendChild(list);
    grid.appendChild(box);
  });
  return grid;
};
// One row a kind, and in it one bar a vocabulary; the dark part of a bar is what the other has too.
const kinds = (data) => {
  const box = make('div', 'be-kinds'), { columns } = data;
  const most = Math.max(...columns.flatMap((c) => data.kinds.map((kind) => c.kinds[kind] / c.tokens)));
  data.kinds.filter((kind) => columns.some((c) => c.kinds[kind])).forEach((kind) => {
    const row = make('div', 'be-kind'), bars = make('div', 'be-kind-bars');
    row.appendChild(make('span', 'be-kind-name', say(`kind_${kind}`)));
    columns.forEach((c, k) => {
      const n = c.kinds[kind], line = make('div', 'be-kind-line'), track = make('span', 'be-kind-track'), bar = make('span', `be-kind-bar be-voc-bar-${k}`);
      const both_n = c.both?.[kind], tell = [say('kind_line', { label: c.label, kind: say(`kind_${kind}`), n: number(n), share: percent(n, c.tokens, 2) })];
      bar.style.width = `${n ? Math.max(0.4, (100 * n) / c.tokens / most) : 0}%`;
      if (both_n !== undefined) {
        const part = make('span', 'be-kind-both');
        part.style.width = `${n ? (100 * both_n) / n : 0}%`;
        bar.appendChild(part);
        tell.push(say('kind_both', { n: number(both_n) }));
      } else if (!c.both) bar.classList.add('be-kind-whole');
      track.appendChild(bar);
      line.append(track, make('span', 'be-n', number(n)), make('span', 'be-n be-kind-share', percent(n, c.tokens)));
      line.title = tell.join(' · ');
      line.setAttribute('role', 'img');
      line.setAttribute('aria-label', tell.join(' · '));
      bars.appendChild(line);
    });
    row.appendChild(bars);
    box.appendChild(row);
  });
  return box;
};
const legend = (columns) => {
  const line = make('p', 'be-stack-legend');
  columns.forEach((c, k) => {
    const item = make('span', 'be-stack-kind');
    item.append(make('i', `be-voc-swatch-${k}`), c.label);
    line.appendChild(item);
  });
  line.append(say(columns.length > 1 ? 'share_hint' : 'share_hint_one'));
  return line;
};
const lengths = (columns, key, last) => {
  const box = make('div', 'be-lengths'), chart = make('div', 'be-length-chart'), all = columns.map((c) => {
    const bins = Array(last).fill(0);
    c[key].forEach(([length, n]) => { bins[Math.min(length, last) - 1] += n; });
    return bins;
  });
  const most = Math.max(...all.flatMap((bins, k) => bins.map((n) => n / columns[k].tokens)));
  for (let i = 0; i < last; i++) {
    const slot = make('div', 'be-length'), bars = make('div', 'be-length-bars'), name = i + 1 === last ? `${last}+` : String(i + 1);
    columns.forEach((c, k) => {
      const bar = make('span', `be-length-bar be-voc-swatch-${k}`), n = all[k][i];
      bar.style.height = `${n ? Math.max(1, (100 * n) / c.tokens / most) : 0}%`;
      bars.appendChild(bar);
    });
    slot.title = columns.map((c, k) => say('length_line', { label: c.label, n: number(all[k][i]), length: i + 1 === last ? say('or_more', { n: last }) : name })).join('\n');
    slot.setAttribute('role', 'img');
    slot.setAttribute('aria-label', slot.title);
    slot.append(bars, make('span', 'be-length-name', i === 0 || (i + 1) % 4 === 0 ? name : ''));
    box.appendChild(slot);
  }
  // the height of the bars is a share of the vocabulary: of the highest, and half of it
  [1, 0.5].forEach((part) => {
    const tick = make('div', 'be-length-tick');
    tick.style.top = `${130 * (1 - part)}px`;
    tick.appendChild(make('span', '', `${number(100 * part * most, 1)}%`));
    chart.appendChild(tick);
  });
  chart.appendChild(box);
  return chart;
};
const lists = (columns) => {
  const grid = make('div', 'be-columns');
  grid.style.setProperty('--be-n', columns.length);
  columns.forEach((c) => {
    const box = make('section', 'be-column'), long = make('div', 'be-pieces be-voc-list'), special = make('div', 'be-pieces be-voc-list');
    c.longest.forEach(([id, hex]) => {
      const node = make('span', 'be-piece'), bytes = fromHex(hex);
      fill(node, bytes);
      // 128 spaces say less than their number
      if (node.textContent.length > 44) node.replaceChildren(`${[...node.textContent].slice(0, 40).join('')}…`);
      node.title = `id ${id} · ${toHex(bytes)}`;
      node.appendChild(make('small', 'be-id', `${id} · ${say('bytes_n', { n: bytes.length })}`));
      long.appendChild(node);
    });
    c.special.forEach(([name, id]) => {
      const node = make('span', 'be-piece');
      fill(node, encoder.encode(name));
      node.appendChild(make('small', 'be-id', id));
      special.appendChild(node);
    });
    if (c.specials > c.special.length) special.appendChild(make('span', 'be-small', say('more', { n: number(c.specials - c.special.length) })));
    [long, special].forEach((list, i) => { list.tabIndex = 0; list.setAttribute('role', 'group'); list.setAttribute('aria-label', `${say(i ? 'special' : 'longest')}, ${c.label}`); });
    box.append(make('h3', '', c.label), make('h4', '', say('longest')), long, make('h4', '', say('special')), special);
    grid.appendChild(box);
  });
  return grid;
};
panel(root, 'columns', (data) => {
  const { columns } = data, pair = make('div', 'be-length-pair');
  [['by_bytes', 'bytes', 24], ['by_characters', 'characters', 20]].forEach(([title, key, last]) => {
    const box = make('section');
    box.append(make('h4', '', say(title)), lengths(columns, key, last));
    pair.appendChild(box);
  });
  return [heads(columns), make('h4', '', say('by_kind')), legend(columns), kinds(data), pair, lists(columns)];
});

// A matrix as a table whose cells are coloured, walked through by pointer or by arrow keys. For heat.js and pairs.js.

// From which share of the strongest on a cell's text turns, on a light page from black to white, on a dark one the other
// way: there, with the colours of page.css, both have a contrast of 4.5 or more
const TURNS = { '--be-accent': [0.848, 0.561], '--be-end': [0.874, 0.576] };
const tint = (td, share, colour = '--be-accent') => {
  td.style.setProperty('--be-cell', `color-mix(in srgb, var(${colour}) ${(share * 100).toFixed(1)}%, var(--be-surface))`);
  td.classList.toggle('be-turned', share > TURNS[colour][0]);
  td.classList.toggle('be-turned-dark', share > TURNS[colour][1]);
  return td;
};

// {table, tell(i, j)} of a square of `n` by `n` cells. `heading(i, scope)` makes a th, `cell(i, j)` a td, and `told(i, j)`
// says in words what the cell is that is looked at.
const heatTable = (n, cls, label, heading, cell, told) => {
  const table = make('table', `be-heat-table ${cls}`), head = make('tr'), thead = make('thead'), body = make('tbody');
  const all = [...Array(n).keys()], headed = (i, scope) => { const th = heading(i); th.scope = scope; return th; };
  head.append(make('td'), ...all.map((i) => headed(i, 'col')));
  thead.append(head);
  const cells = all.flatMap((i) => {
    const tr = make('tr'), line = all.map((j) => cell(i, j));
    tr.append(headed(i, 'row'), ...line);
    body.append(tr);
    return line;
  });
  const tell = (i, j) => {
    told(i, j);
    cells.forEach((td, k) => td.classList.toggle('be-told', k === i * n + j));
  };
  cells.forEach((td, k) => ['pointerenter', 'pointerdown', 'focus'].forEach((event) => td.addEventListener(event, () => tell(Math.floor(k / n), k % n))));
  roving(cells, (k, key) => {
    const [down, right] = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key] || [0, 0];
    const i = Math.floor(k / n) + down, j = (k % n) + right;
    return (down || right) && i >= 0 && i < n && j >= 0 && j < n ? i * n + j : null;
  });
  table.append(thead, body);
  table.setAttribute('aria-label', label);
  return { table, tell };
};

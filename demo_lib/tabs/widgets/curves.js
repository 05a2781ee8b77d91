// The losses of train and dev while a training goes on: two lines that grow. For lab.js; sizes.js takes the legend.

const curveLegend = () => {
  const legend = make('p', 'be-plot-legend');
  ['train', 'dev'].forEach((name) => {
    const item = make('span', 'be-plot-kind'), sign = svg('svg', { viewBox: '0 0 26 12', width: 26, height: 12, 'aria-hidden': 'true' });
    sign.append(svg('line', { x1: 1, x2: 25, y1: 6, y2: 6, class: `be-curve be-curve-${name}` }));
    item.append(sign, say(`curve_${name}`));
    legend.append(item);
  });
  return legend;
};

const curvesOf = (d, W) => {
  const H = Math.round(Math.max(320, Math.min(460, W * 0.78))), left = 44, bottom = 34, top = 14, right = 14;
  const picture = svg('svg', { viewBox: `0 0 ${W} ${H}`, role: 'img', class: 'be-plane be-lab-curves' }), paper = svg('g', {});
  const lines = ['train', 'dev'].map((name) => svg('polyline', { class: `be-curve be-curve-${name}` })), ends = ['train', 'dev'].map((name) => svg('circle', { r: 4, class: `be-curve-end be-curve-${name}`, visibility: 'hidden' }));
  const cursor = svg('line', { y1: top, y2: H - bottom, class: 'be-cursor', visibility: 'hidden' });
  picture.append(paper, ...lines, ...ends, cursor);
  let range = [], drawn = '';
  const X = (step) => left + (step / d.steps) * (W - left - right), Y = (loss) => top + ((range[1] - loss) / (range[1] - range[0])) * (H - top - bottom);
  // the scale reaches down as the loss falls, in steps, and up to where one begins
  const rule = (data) => {
    const losses = data.curve.flatMap(([, train, dev]) => [train, dev]), low = Math.min(...losses, data.pairs) - 0.06, high = Math.min(2 * data.uniform, Math.max(...losses, data.uniform)) + 0.06;
    range = [Math.floor(low * 10) / 10, Math.ceil(high * 10) / 10];
    const key = range.join();
    if (key === drawn) return;
    drawn = key;
    const nodes = [], by = range[1] - range[0] > 1.6 ? 0.4 : 0.2;
    for (let loss = Math.ceil(range[0] / by - 1e-9) * by; loss <= range[1] + 1e-9; loss += by) {
      nodes.push(svg('line', { x1: left, x2: W - right, y1: Y(loss), y2: Y(loss), class: 'be-grid' }), svg('text', { x: left - 8, y: Y(loss) + 4, class: 'be-tick', 'text-anchor': 'end' }, number(loss, 1)));
    }
    [0, 0.5, 1].forEach((far) => nodes.push(svg('text', { x: X(far * d.steps), y: H - bottom + 20, class: 'be-tick', 'text-anchor': far === 0 ? 'start' : far === 1 ? 'end' : 'middle' }, number(Math.round(far * d.steps)))));
    [['uniform', data.uniform], ['pairs', data.pairs]].forEach(([name, loss]) => nodes.push(
      svg('line', { x1: left, x2: W - right, y1: Y(loss), y2: Y(loss), class: 'be-reference' }),
      svg('text', { x: W - right - 4, y: Y(loss) + (name === 'uniform' ? 16 : -6), class: 'be-axis-name', 'text-anchor': 'end' }, say(`reference_${name}`, { loss: number(loss, 2) })),
    ));
    paper.replaceChildren(...nodes);
  };
  const show = (data, step) => {
    rule(data);
    lines.forEach((line, i) => line.setAttribute('points', data.curve.map((point) => `${X(point[0]).toFixed(1)},${Y(Math.min(point[i + 1], range[1])).toFixed(1)}`).join(' ')));
    const end = data.curve[data.curve.length - 1];
    ends.forEach((node, i) => {
      node.setAttribute('visibility', end ? 'visible' : 'hidden');
      if (end) { node.setAttribute('cx', X(end[0])); node.setAttribute('cy', Y(Math.min(end[i + 1], range[1]))); }
    });
    cursor.setAttribute('visibility', step === null ? 'hidden' : 'visible');
    if (step !== null) { cursor.setAttribute('x1', X(step)); cursor.setAttribute('x2', X(step)); }
    picture.setAttribute('aria-label', end ? say('curves_told', { train: number(end[1], 3), dev: number(end[2], 3), step: number(end[0]) }) : say('lab_curves'));
  };
  return { nodes: [make('h4', '', say('lab_curves')), curveLegend(), picture, make('p', 'be-small', say('curves_note'))], show };
};

// Bars that lie, some to a label, with what is certain of each as a line across its end.

const shown = (value) => (Number.isInteger(value) || Math.abs(value) >= 1000 ? number(value) : String(Number(value.toPrecision(3))));
const told = (value) => (value && typeof value === 'object' ? both(value) : value);
const legendOf = (series, measure) => {
  const legend = make('p', 'be-series-legend');
  series.forEach((one) => {
    const item = make('span', 'be-series');
    item.append(make('i', `be-series-${one.colour}`), told(one.name));
    legend.append(item);
  });
  legend.append(make('span', 'be-series-measure', told(measure)));
  return legend;
};
// {labels, series: [{name, colour, values, low, high}], measure, pieces}; what is negative lies to the left, and `pieces`
// says that the labels are pieces of text, in which what has no shape is to be seen
const barsOf = (plot) => {
  const figure = make('figure', 'be-plot'), rows = make('div', 'be-plot-rows');
  const all = plot.series.flatMap((one) => [...one.values, ...(one.high || [])]).filter((value) => value !== null);
  const least = Math.min(0, ...all), most = Math.max(0, ...all), X = (value) => (100 * (value - least)) / (most - least || 1);
  figure.setAttribute('role', 'img');
  figure.setAttribute('aria-label', told(plot.measure));
  plot.labels.forEach((label, i) => {
    const row = make('div', 'be-plot-row'), name = make('span', 'be-plot-label'), lines = make('div', 'be-plot-lines');
    name.title = told(label);
    if (plot.pieces) fill(name, encoder.encode(told(label))); else name.textContent = told(label);
    plot.series.filter((one) => one.values[i] !== null && one.values[i] !== undefined).forEach((one) => {
      const value = one.values[i], line = make('div', 'be-plot-line'), track = make('div', 'be-plot-track'), bar = make('span', `be-plot-bar be-series-${one.colour}`);
      bar.style.left = `${X(Math.min(0, value))}%`;
      bar.style.width = `${X(Math.max(0, value)) - X(Math.min(0, value))}%`;
      track.append(bar);
      if (one.low) {
        const range = make('span', 'be-plot-range');
        range.style.left = `${X(one.low[i])}%`;
        range.style.width = `${X(one.high[i]) - X(one.low[i])}%`;
        track.append(range);
      }
      line.title = say('bar', { series: told(one.name), label: told(label), value: shown(Math.abs(value)) });
      line.append(track, make('span', 'be-plot-n', shown(Math.abs(value))));
      lines.append(line);
    });
    row.append(name, lines);
    rows.append(row);
  });
  figure.append(legendOf(plot.series, plot.measure), rows);
  return figure;
};

// Buttons that begin a work, pause it, go on and stop, with a line that says how far it is. For lab.js and sizes.js.
// `begin` is the key of the first button's word; `asked` is called when it is pressed. Their events are `select`, `pause`,
// `play` and `stop`.

const switchesOf = (begin, asked) => {
  const keys = { select: begin, pause: 'pause', play: 'resume', stop: 'stop' };
  const status = make('p', 'be-lab-status'), progress = make('progress', 'be-progress'), note = make('p', 'be-note be-bad'), controls = make('div', 'be-controls be-lab-controls');
  const buttons = Object.fromEntries(Object.keys(keys).map((event) => {
    const node = button(event === 'select' ? 'be-button be-primary' : 'be-button', '', '', () => {
      if (event === 'select') { asked(); node.disabled = true; note.textContent = ''; root.dataset.state = 'asked'; }
      trigger(event, {});
    });
    controls.append(node);
    return [event, node];
  }));
  controls.append(progress);
  status.setAttribute('role', 'status');
  note.setAttribute('role', 'alert');
  root.append(controls, status, note);
  // Shows the buttons that a state has; whether the work goes on in it
  const show = (state) => {
    const busy = ['waiting', 'running', 'paused'].includes(state);
    root.dataset.state = state;
    Object.entries({ select: busy, pause: state !== 'running', play: state !== 'paused', stop: !busy }).forEach(([event, hidden]) => {
      const node = buttons[event], had = hidden && document.activeElement === node, text = say(keys[event]);
      if (node.textContent !== text) node.textContent = text;
      node.hidden = hidden;
      node.disabled = false;
      if (had) Object.values(buttons).find((other) => !other.hidden)?.focus({ preventScroll: true });
    });
    return busy;
  };
  return { status, progress, note, show };
};

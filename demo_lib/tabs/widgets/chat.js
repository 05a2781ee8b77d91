// The conversation editor. value: the JSON text of a list of messages {role, content, tool_calls?, ...}, both ways.

const root = element.querySelector('.be-chat');
const ROLES = ['system', 'user', 'assistant', 'tool'];
let messages = [], raw = false, timer = null, drafts = new WeakMap();

const send = () => {
  clearTimeout(timer);
  timer = setTimeout(() => { props.value = JSON.stringify(messages); trigger('change'); }, 120);
};
const fit = (area) => { area.style.height = 'auto'; area.style.height = `${area.scrollHeight + 2}px`; };

const field = (cls, label, value, onInput) => {
  const area = make('textarea', cls);
  area.value = value;
  area.rows = 1;
  area.dir = 'auto';
  area.setAttribute('aria-label', label);
  area.addEventListener('input', () => { onInput(area.value); fit(area); });
  requestAnimationFrame(() => fit(area));
  return area;
};

// A field of JSON, and a sentence where it is none yet; `accept` gets every value that is, and may throw. What is
// typed stays as it was typed when the widget is drawn anew: `key` is the object that it belongs to.
const jsonField = (cls, label, value, key, accept) => {
  const note = make('p', 'be-note be-bad');
  const area = field(`be-json ${cls}`, label, drafts.get(key)?.text ?? JSON.stringify(value, null, 1), (text) => {
    let bad = false;
    try { accept(JSON.parse(text)); send(); } catch { bad = true; }
    drafts.set(key, { text, bad });
    tell();
  });
  const tell = () => {
    const bad = Boolean(drafts.get(key)?.bad);
    note.hidden = !bad;
    note.textContent = bad ? say('bad_json') : '';
    area.setAttribute('aria-invalid', String(bad));
  };
  note.setAttribute('role', 'status');
  tell();
  return [area, note];
};

const calls = (message, i) => {
  const box = make('div', 'be-calls');
  box.appendChild(make('span', 'be-small', say('tool_calls')));
  box.append(...jsonField('', say('tool_calls'), message.tool_calls, message, (value) => { message.tool_calls = value; }));
  box.append(button('be-button', say('no_tool_calls'), '', () => {
    delete message.tool_calls;
    drafts.delete(message);
    send();
    drawAt(i, '.be-content');
  }));
  return box;
};

const card = (message, i) => {
  const box = make('div', `be-message be-role-${ROLES.includes(message.role) ? message.role : 'other'}`), bar = make('div', 'be-message-bar');
  const role = make('select', 'be-role');
  role.setAttribute('aria-label', say('role_of', { n: i + 1 }));
  (ROLES.includes(message.role) ? ROLES : [...ROLES, message.role]).forEach((name) => {
    const option = make('option', '', words()[`${props.room}.role_${name}`] || String(name));
    option.value = name;
    option.selected = name === message.role;
    role.appendChild(option);
  });
  role.addEventListener('change', () => { message.role = role.value; send(); drawAt(i, '.be-role'); });
  const tools = make('span', 'be-tools');
  const move = (to) => () => { messages.splice(to, 0, messages.splice(i, 1)[0]); send(); drawAt(to, to < i ? '.be-up' : '.be-down'); };
  if (message.role === 'assistant' && !message.tool_calls) {
    tools.appendChild(button('be-icon be-wide', say('add_tool_call'), '', () => {
      message.tool_calls = [{ type: 'function', function: { name: 'get_weather', arguments: { city: '北京' } } }];
      send();
      drawAt(i, '.be-json');
    }));
  }
  if (i > 0) tools.appendChild(button('be-icon be-up', '↑', say('move_up', { n: i + 1 }), move(i - 1)));
  if (i < messages.length - 1) tools.appendChild(button('be-icon be-down', '↓', say('move_down', { n: i + 1 }), move(i + 1)));
  tools.appendChild(button('be-icon be-remove', '×', say('remove_message', { n: i + 1 }), () => { messages.splice(i, 1); send(); drawAt(Math.min(i, messages.length - 1), '.be-remove'); }));
  bar.append(role, tools);
  box.appendChild(bar);
  if (message.content === undefined || message.content === null || typeof message.content === 'string') {
    box.appendChild(field('be-content', say('content_of', { n: i + 1 }), message.content || '', (text) => { message.content = text; send(); }));
  } else box.appendChild(make('p', 'be-small', say('content_parts')));
  if (message.reasoning_content) {
    box.append(make('span', 'be-small', say('thoughts')), field('be-content', say('thoughts'), message.reasoning_content, (text) => { message.reasoning_content = text; send(); }));
  }
  if (message.tool_calls) box.appendChild(calls(message, i));
  return box;
};

const rawEditor = () => jsonField('be-raw', say('as_json'), messages, root, (value) => {
  if (!Array.isArray(value) || value.some((m) => m === null || typeof m !== 'object')) throw new Error('no list');
  messages = value;
});

const draw = () => {
  const list = make('div', 'be-messages'), foot = make('div', 'be-actions');
  if (raw) list.append(...rawEditor());
  else messages.forEach((message, i) => list.appendChild(card(message, i)));
  if (!raw) {
    foot.appendChild(button('be-button', say('add_message'), '', () => {
      const last = messages[messages.length - 1]?.role;
      messages.push({ role: last === 'user' ? 'assistant' : 'user', content: '' });
      send();
      drawAt(messages.length - 1, '.be-content');
    }));
  }
  foot.appendChild(button('be-button', say(raw ? 'as_form' : 'as_json'), '', () => { raw = !raw; drafts.delete(root); drawAt(-1, ''); }));
  root.replaceChildren(list, foot);
};
// Draws anew with the focus on a control of message i; if there is none, on the last button, so that it is not lost.
const drawAt = (i, selector) => {
  draw();
  const box = root.querySelectorAll('.be-message')[i];
  (box && (box.querySelector(selector) || box.querySelector('button')) || root.querySelector('.be-actions > :last-child')).focus();
};
const take = () => {
  const value = read();
  clearTimeout(timer); // an edit of what was here before
  messages = Array.isArray(value) ? value : [];
  drafts = new WeakMap();
  draw();
};
take();
watch('value', () => { if (props.value !== JSON.stringify(messages)) take(); });
onLanguage(draw);

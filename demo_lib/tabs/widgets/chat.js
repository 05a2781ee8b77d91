// The conversation editor. value: the JSON text of a list of messages {role, content, tool_calls?, ...}, both ways.

const root = element.querySelector('.be-chat');
const ROLES = ['system', 'user', 'assistant', 'tool'];
let messages = [], raw = false, timer = null;

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

const calls = (message, i) => {
  const box = make('div', 'be-calls'), note = make('p', 'be-note be-bad');
  note.hidden = true;
  box.appendChild(make('span', 'be-small', say('tool_calls')));
  box.appendChild(field('be-json', say('tool_calls'), JSON.stringify(message.tool_calls, null, 1), (text) => {
    try {
      message.tool_calls = JSON.parse(text);
      note.hidden = true;
      send();
    } catch {
      note.textContent = say('bad_json');
      note.hidden = false;
    }
  }));
  box.append(note, button('be-button', say('no_tool_calls'), '', () => { delete message.tool_calls; send(); draw(); }));
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
  role.addEventListener('change', () => { message.role = role.value; send(); draw(); });
  const tools = make('span', 'be-tools');
  const move = (to) => () => { messages.splice(to, 0, messages.splice(i, 1)[0]); send(); draw(); };
  if (message.role === 'assistant' && !message.tool_calls) {
    tools.appendChild(button('be-icon be-wide', say('add_tool_call'), '', () => {
      message.tool_calls = [{ type: 'function', function: { name: 'get_weather', arguments: { city: '北京' } } }];
      send();
      draw();
    }));
  }
  if (i > 0) tools.appendChild(button('be-icon', '↑', say('move_up', { n: i + 1 }), move(i - 1)));
  if (i < messages.length - 1) tools.appendChild(button('be-icon', '↓', say('move_down', { n: i + 1 }), move(i + 1)));
  tools.appendChild(button('be-icon', '×', say('remove_message', { n: i + 1 }), () => { messages.splice(i, 1); send(); draw(); }));
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

const rawEditor = () => {
  const note = make('p', 'be-note be-bad');
  note.hidden = true;
  const area = field('be-json be-raw', say('as_json'), JSON.stringify(messages, null, 1), (text) => {
    try {
      const value = JSON.parse(text);
      if (!Array.isArray(value) || value.some((m) => m === null || typeof m !== 'object')) throw new Error('no list');
      messages = value;
      note.hidden = true;
      send();
    } catch {
      note.textContent = say('bad_json');
      note.hidden = false;
    }
  });
  return [area, note];
};

const draw = () => {
  const list = make('div', 'be-messages'), foot = make('div', 'be-actions');
  if (raw) list.append(...rawEditor());
  else messages.forEach((message, i) => list.appendChild(card(message, i)));
  if (!raw) {
    foot.appendChild(button('be-button', say('add_message'), '', () => {
      const last = messages[messages.length - 1]?.role;
      messages.push({ role: last === 'user' ? 'assistant' : 'user', content: '' });
      send();
      draw();
      root.querySelector('.be-message:last-child .be-content')?.focus();
    }));
  }
  foot.appendChild(button('be-button', say(raw ? 'as_form' : 'as_json'), '', () => { raw = !raw; draw(); }));
  root.replaceChildren(list, foot);
};
const take = () => {
  const value = read();
  messages = Array.isArray(value) ? value : [];
  draw();
};
take();
watch('value', () => { if (props.value !== JSON.stringify(messages)) take(); });
onLanguage(draw);

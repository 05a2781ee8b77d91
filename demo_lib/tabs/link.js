// The address follows what one does, so that it opens the same page anywhere: see demo_lib/link.py for how it is read.
// Runs in <head> after page.js. `bothEnds.follow(room, names, values)` is called by Gradio when an input of a tab changes, or
// with nothing when another tab is shown.
(() => {
  const ends = window.bothEnds;
  const LONG_VALUE = 200, LONG_QUERY = 1200, MOST_PACKED = 32000, LONGEST = 20000, VERSION = 1; // as in link.py
  // [name, id, elem, label, prop, result, seen] of each part by room; what they are at first; what they are now
  let rooms = {}, first = {}, now = {}, begun = false, timer = null, turn = 0, last = null;
  const uploads = new Set();
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  const say = (key, fields = {}) => String(window.gradio_config?.i18n_translations?.[window.__lang]?.[key] ?? key)
    .replace(/\{(\w+)\}/g, (all, name) => (name in fields ? fields[name] : all));
  // A text in both languages, or one text
  const told = (text) => (typeof text === 'string' ? text : text?.[window.__lang] ?? text?.en ?? text?.['zh-CN'] ?? '');
  const make = (tag, props = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) {
      if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
      else if (name in node && typeof value !== 'string') node[name] = value;
      else if (value !== undefined) node.setAttribute(name === 'cls' ? 'class' : name, value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  };

  const remember = (config, schema) => {
    rooms = schema;
    const props = Object.fromEntries(config.components.map((one) => [one.id, one]));
    for (const [room, parts] of Object.entries(rooms)) {
      now[room] = {};
      first[room] = {};
      for (const [name, id, , , prop] of parts.filter((part) => part[4])) {
        first[room][name] = prop === 'selected' ? null : props[id].props.value ?? null;
      }
    }
  };
  // After the link's own values were put in
  const begin = (config) => {
    const props = Object.fromEntries(config.components.map((one) => [one.id, one.props]));
    for (const [room, parts] of Object.entries(rooms)) {
      for (const [name, id, , , prop] of parts.filter((part) => part[4])) now[room][name] = props[id][prop] ?? null;
    }
  };

  // Which tab is shown, and which inside it: the panels say so
  const open = (node) => node && getComputedStyle(node).display !== 'none';
  const shown = () => Object.keys(rooms).find((room) => open(document.getElementById(`tab-${room}`))) || Object.keys(rooms)[0];
  const viewOf = (room) => {
    const panels = [...document.querySelectorAll(`[id^="${room}-view-"]`)].filter((node) => node.getAttribute('role') === 'tabpanel');
    return panels.find((node) => node.style.display !== 'none')?.id.slice(room.length + 6) ?? now[room].view ?? null;
  };
  const firstView = (room) => {
    const tabs = window.gradio_config.components.filter((one) => one.type === 'tabitem' && one.props.elem_id?.startsWith(`${room}-view-`));
    return tabs[0]?.props.id ?? null;
  };

  // What differs from the beginning: {tab, values: {name: value}, uploaded, long}, names of other tabs after their room
  const present = () => {
    const tab = shown(), values = {};
    let uploaded = uploads.size > 0, long = false;
    for (const room of [tab, ...Object.keys(rooms).filter((one) => one !== tab)]) {
      const own = {};
      for (const name of Object.keys(first[room])) {
        let value = name === 'view' ? viewOf(room) : now[room][name];
        const before = name === 'view' ? firstView(room) : first[room][name];
        const kept = (one) => !String(one).startsWith('upload:');
        if (Array.isArray(value) && !value.every(kept)) { uploaded = true; value = value.filter(kept); }
        if (value === null || value === undefined || same(value, before)) continue;
        if (!Array.isArray(value) && !kept(value)) { uploaded = true; continue; }
        if (typeof value === 'string' && name !== 'messages' && value.length > LONGEST) { long = true; continue; }
        own[name] = value;
      }
      // what the server chose by itself in a tab that is not shown is no news
      if (room !== tab && Object.keys(own).every((name) => first[room][name] === null && name !== 'view')) continue;
      for (const [name, value] of Object.entries(own)) values[room === tab ? name : `${room}.${name}`] = value;
    }
    return { tab, values, uploaded, long };
  };

  // Half a character of two, as one can paste, is no text that an address can hold
  const encode = (text) => encodeURIComponent(String(text).replace(/\p{Surrogate}/gu, '\ufffd')).replace(/%2C/g, ',').replace(/%2F/g, '/');
  const plain = (value) => {
    if (typeof value === 'boolean') return value ? '1' : '0';
    if (Array.isArray(value)) return value.some((one) => String(one).includes(',')) ? null : value.join(',');
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  };
  const pack = async (state) => {
    const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream('deflate'));
    let text = '';
    for (const byte of new Uint8Array(await new Response(stream).arrayBuffer())) text += String.fromCharCode(byte);
    return btoa(text).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  };
  const packed = async (state) => {
    const z = window.CompressionStream ? await pack(state) : null;
    return z && z.length <= MOST_PACKED ? z : null;
  };

  // {query, uploaded, long}: the query of the page as it is
  const query = async () => {
    const { tab, values, uploaded, long } = present();
    let short = Object.entries(values).map(([name, value]) => [name, plain(value)]).filter(([, text]) => text !== null && encode(text).length <= LONG_VALUE);
    if (short.reduce((sum, [name, text]) => sum + name.length + encode(text).length + 2, 0) > LONG_QUERY) short = [];
    const rest = Object.entries(values).filter(([name]) => !short.some(([one]) => one === name));
    rest.sort((a, b) => JSON.stringify(a[1]).length - JSON.stringify(b[1]).length);
    let z = null, left = long;
    while (rest.length && !(z = await packed(Object.fromEntries(rest)))) { rest.pop(); left = true; }
    const fields = [['tab', tab], ...short, ...(z ? [['z', z]] : []), ...(Object.keys(values).length ? [['v', VERSION]] : [])];
    return { query: fields.map(([name, text]) => `${name}=${encode(text)}`).join('&'), uploaded, long: left };
  };

  // What the frame around the page and the language switch have put into the address stays; a link to send has neither
  const foreign = () => [...new URLSearchParams(location.search)].filter(([name]) => name === 'lang' || name.startsWith('__'))
    .map(([name, text]) => `&${name}=${encode(text)}`).join('');
  const address = (text) => `${location.origin}${location.pathname}?${text}`;

  const write = async () => {
    const mine = turn += 1, { query: text } = await query();
    if (mine !== turn || ends.lesson || text === last) return;
    last = text;
    const search = `?${text}${foreign()}`;
    history.replaceState(history.state, '', search);
    // in a Space, the address that people see is that of the page around this one
    if (window.parent !== window) window.parent.postMessage({ queryString: search.slice(1), hash: '' }, 'https://huggingface.co');
  };
  const follow = (room, names = [], values = []) => {
    names.forEach((name, i) => { now[room][name] = values[i] ?? null; });
    if (!begun || ends.lesson) return;
    clearTimeout(timer);
    timer = setTimeout(write, 400);
  };

  // Gradio sends the whole address with each event: it is of no use there, and would be sent at each key that is pressed
  const plainFetch = window.fetch;
  window.fetch = (input, init) => {
    if (typeof input !== 'string' || init?.method !== 'POST' || !/\/(queue\/join|run\/predict)\?/.test(input)) return plainFetch(input, init);
    const [path, search] = input.split('?');
    const signed = search.split('&').filter((part) => part.startsWith('__')); // a private Space's key
    return plainFetch(signed.length ? `${path}?${signed.join('&')}` : path, init);
  };

  Object.assign(ends, {
    say, told, make, remember, begin, present, query, packed, address, foreign, follow, shown,
    parts: () => rooms,
    uploaded: (room) => uploads.add(room),
    started: async () => {
      last = (await query()).query; // an address is left as it was until something is done
      begun = true;
    },
  });
})();

// Runs in <head> before Gradio does: decides the language and the colours, and offers window.bothEnds.
// The language: ?lang= or the switch (both last, in localStorage), else what the server was told to use, else the
// first language of the browser that the page has. window.__lang is 'en' or 'zh-CN'.
(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const known = (tag) => (/^zh\b/i.test(tag) ? 'zh-CN' : /^en\b/i.test(tag) ? 'en' : null);
  const memory = {
    get: () => { try { return localStorage.getItem('both-ends-lang'); } catch { return null; } },
    set: (lang) => { try { localStorage.setItem('both-ends-lang', lang); } catch { /* private mode: it does not last */ } },
  };

  const asked = known(query.get('lang') || '');
  const browser = [...(navigator.languages || []), navigator.language].map(known).find(Boolean);
  const forced = known(document.currentScript.dataset.lang);
  if (asked) memory.set(asked);

  const tell = (lang) => {
    window.__lang = root.lang = lang;
    // Gradio's translations know 'zh-CN' and 'en' by these exact names, and ask navigator.language
    Object.defineProperty(navigator, 'language', { get: () => lang, configurable: true });
    document.querySelectorAll('.be-lang button').forEach((b) => b.setAttribute('aria-pressed', b.lang === lang));
  };
  tell(asked || known(memory.get() || '') || forced || browser || 'en');

  // Gradio's own function for changing the language: in one of the modules that it has loaded already
  const changer = async () => {
    const urls = performance.getEntriesByType('resource').map((entry) => entry.name)
      .filter((name) => name.startsWith(location.origin) && /\/assets\/[^/]*\.js$/.test(name));
    urls.sort((a, b) => /\/core-/.test(b) - /\/core-/.test(a));
    for (const url of urls) {
      const found = (await import(url)).changeLocale;
      if (typeof found === 'function') return found;
    }
    throw new Error('Gradio has no changeLocale any more');
  };

  const speak = async (lang) => {
    memory.set(lang);
    const url = new URL(location.href);
    if (url.searchParams.has('lang')) {
      url.searchParams.set('lang', lang);
      history.replaceState(history.state, '', url);
    }
    tell(lang);
    try {
      (await changer())(lang);
    } catch {
      location.reload(); // loses what was typed, but speaks the language asked for
      return;
    }
    window.dispatchEvent(new CustomEvent('both-ends-language', { detail: lang }));
  };

  // Called when Gradio's description of the page is there and Gradio is not yet: the first thing that it draws, and the
  // first that it tells the server, is then what the link asks for, in the language of the page. `opened`: the link as
  // the server has read it, with the props of components by their ids; see links.py.
  const prepare = (config, opened) => {
    const named = (id) => config.components.find(({ props }) => props.elem_id === id);
    const ends = window.bothEnds;
    ends.remember(config, named('header').props.props.links);
    config.components.forEach(({ id, props }) => Object.assign(props, opened.set[id]));
    named('lang').props.value = window.__lang;
    ends.begin(config);
    ends.openLesson(opened);
  };

  // Gradio puts 'dark' on <body> only once it runs; the same rule here, so that nothing flashes
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const theme = query.get('__theme');
  const shade = () => root.classList.toggle('dark', theme === 'dark' || (theme !== 'light' && dark.matches));
  shade();
  dark.addEventListener('change', shade);

  // Gradio puts its components up one by one as their scripts arrive, and each pushes the others about. The tabs are
  // shown when all are there and nothing has moved for a moment, or five seconds after the first, whatever happens.
  root.classList.add('be-mounting');
  let quiet, limit, mounted = false;
  const show = () => {
    root.classList.remove('be-mounting');
    moves.disconnect();
  };
  const wait = () => {
    if (!document.querySelector('#tabs [role=tabpanel]')) return;
    limit ??= setTimeout(show, 5000);
    clearTimeout(quiet);
    if (mounted) quiet = setTimeout(show, 120);
  };
  const moves = new MutationObserver(wait);
  moves.observe(root, { childList: true, subtree: true });
  const ready = () => {
    mounted = true;
    wait();
    window.bothEnds.started();
  };

  window.bothEnds = { speak, tell, prepare, ready };
})();

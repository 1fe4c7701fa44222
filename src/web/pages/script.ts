/**
 * Updates an open page. The server renders the page; the script only replaces the parts (`data-part`) that
 * differ and adds new ones, so that scroll position, open parts and selections stay. A session's page is told what is
 * new (server-sent events), a list asks. A hidden page does neither, because a browser opens six connections to a server.
 */
export const SCRIPT = `(() => {
  'use strict';
  const [INTERVAL, RETRY, SHOWN] = [5000, 5000, 6000];
  const partsOf = (root) => root.querySelectorAll('[data-part]');
  const byId = (id) => document.getElementById(id);
  const seen = new Map();
  let tag = '';
  let stream;
  let state = document.querySelector('#head .badge')?.textContent;
  for (const part of partsOf(document)) seen.set(part.id, part.outerHTML);

  function keepUnfolded(before, after) {
    for (const old of before.querySelectorAll('details[data-key]')) {
      const same = after.querySelector('details[data-key="' + CSS.escape(old.dataset.key) + '"]');
      if (same) same.open = old.open;
    }
  }

  // The same place in the new part, for those who walk the page by keyboard.
  function focusAgain(focused, fresh) {
    const key = focused.closest('details[data-key]')?.dataset.key;
    const same = key
      ? fresh.querySelector('details[data-key="' + CSS.escape(key) + '"] > summary')
      : [...fresh.querySelectorAll('a')].find(({ href }) => href === focused.href);
    same?.focus({ preventScroll: true });
  }

  function replace(old, fresh) {
    const focused = old.contains(document.activeElement) ? document.activeElement : null;
    keepUnfolded(old, fresh);
    old.replaceWith(fresh);
    if (focused) focusAgain(focused, fresh);
  }

  // Entries before the first of this page are on another one.
  const isEarlier = ({ id }) => {
    const first = document.querySelector('#story > li');
    const numberOf = (name) => Number(name.slice('entry-'.length));
    return first && id.startsWith('entry-') && numberOf(id) < numberOf(first.id);
  };

  const said = byId('said');
  const unsay = (words) => said.textContent === words && (said.textContent = '');
  const say = (words) => {
    if (said.textContent !== words) said.textContent = words;
  };

  // What someone is writing there would be lost.
  const isWritten = (part) =>
    [...part.querySelectorAll('textarea')].some(({ value, defaultValue }) => value !== defaultValue);

  function bringIn(next) {
    const root = document.documentElement;
    const follows = root.scrollHeight - innerHeight - scrollY < 40 && scrollY > 0;
    for (const part of partsOf(next)) {
      if (seen.get(part.id) === part.outerHTML) continue;
      seen.set(part.id, part.outerHTML);
      const fresh = document.importNode(part, true);
      const old = byId(part.id);
      if (old && isWritten(old)) continue;
      if (old) replace(old, fresh);
      else if (!isEarlier(part)) {
        fresh.classList.add('new');
        byId(part.parentElement.id)?.append(fresh);
      }
    }
    document.title = next.title;
    if (next.body.dataset.seq) document.body.dataset.seq = next.body.dataset.seq;
    document.body.toggleAttribute('data-live', next.body.hasAttribute('data-live'));
    const now = document.querySelector('#head .badge')?.textContent;
    if (now && now !== state) {
      say((state = now));
      setTimeout(() => unsay(now), SHOWN);
    }
    if (follows) scrollTo({ top: root.scrollHeight });
  }

  const parsed = (text) => new DOMParser().parseFromString(text, 'text/html');
  const isLive = () => document.body.hasAttribute('data-live');
  const LOST = 'The connection is lost. Trying again …';

  function leave() {
    stream?.close();
    stream = null;
  }

  function listen() {
    if (stream || document.hidden || !isLive()) return;
    const own = new EventSource(location.pathname + '/events?after=' + document.body.dataset.seq);
    stream = own;
    own.onopen = () => unsay(LOST);
    own.onmessage = ({ data }) => {
      bringIn(parsed(JSON.parse(data)));
      if (!isLive()) leave();
    };
    own.addEventListener('reload', () => location.reload());
    own.onerror = () => {
      say(LOST);
      // The browser tries again by itself, unless the server answered with an error.
      if (own.readyState !== EventSource.CLOSED) return;
      leave();
      setTimeout(listen, RETRY);
    };
  }

  async function refresh() {
    if (document.hidden) return;
    const headers = { 'if-none-match': tag };
    const answer = await fetch(location.href, { cache: 'no-store', headers });
    if (answer.status !== 200) return;
    tag = answer.headers.get('etag') ?? '';
    bringIn(parsed(await answer.text()));
  }

  function later() {
    if (isLive()) setTimeout(() => refresh().catch(() => {}).finally(later), INTERVAL);
  }

  // Earlier entries come before the first, and what is in view stays where it is.
  async function loadEarlier(address) {
    const answer = await fetch(address);
    if (answer.status !== 200) return location.assign(address);
    const next = parsed(await answer.text());
    const first = document.querySelector('#story > li');
    const place = first.getBoundingClientRect().top;
    for (const part of next.querySelectorAll('#story > li')) {
      seen.set(part.id, part.outerHTML);
      first.before(document.importNode(part, true));
    }
    byId('earlier').replaceWith(document.importNode(next.getElementById('earlier'), true));
    scrollBy({ top: first.getBoundingClientRect().top - place, behavior: 'instant' });
    byId('earlier').querySelector('a')?.focus({ preventScroll: true });
  }

  document.addEventListener('click', (event) => {
    const link = event.target.closest('#earlier a');
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    loadEarlier(link.href).catch(() => location.assign(link.href));
  });

  function count() {
    for (const time of document.querySelectorAll('time[data-since]')) {
      const seconds = Math.round((Date.now() - Date.parse(time.dataset.since)) / 1000);
      time.textContent = 'for ' + Math.max(0, seconds) + ' s';
    }
  }
  setInterval(count, 1000);
  if (!document.body.dataset.seq) return later();
  document.addEventListener('visibilitychange', () => (document.hidden ? leave() : listen()));
  listen();
})();`;

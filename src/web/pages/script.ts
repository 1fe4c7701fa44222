/**
 * Updates an open page. The server renders the page; the script only replaces the parts (`data-part`) that
 * differ and adds new ones, so that scroll position, open parts and selections stay. It stops when the server
 * says that the page is final.
 */
export const SCRIPT = `(() => {
  'use strict';
  const INTERVAL = 2000;
  const partsOf = (root) => root.querySelectorAll('[data-part]');
  const seen = new Map();
  let tag = '';
  for (const part of partsOf(document)) seen.set(part.id, part.outerHTML);

  function keepUnfolded(before, after) {
    for (const old of before.querySelectorAll('details[data-key]')) {
      const same = after.querySelector('details[data-key="' + CSS.escape(old.dataset.key) + '"]');
      if (same) same.open = old.open;
    }
  }

  // Entries before the first of this page are on another one.
  const isEarlier = ({ id }) => {
    const first = document.querySelector('#story > li');
    const numberOf = (name) => Number(name.slice('entry-'.length));
    return first && id.startsWith('entry-') && numberOf(id) < numberOf(first.id);
  };

  function bringIn(next) {
    const root = document.documentElement;
    const follows = root.scrollHeight - innerHeight - scrollY < 40 && scrollY > 0;
    for (const part of partsOf(next)) {
      if (seen.get(part.id) === part.outerHTML) continue;
      seen.set(part.id, part.outerHTML);
      const fresh = document.importNode(part, true);
      const old = document.getElementById(part.id);
      if (old) {
        keepUnfolded(old, fresh);
        old.replaceWith(fresh);
      } else if (!isEarlier(part)) {
        fresh.classList.add('new');
        document.getElementById(part.parentElement.id)?.append(fresh);
      }
    }
    document.title = next.title;
    if (next.body.dataset.seq) document.body.dataset.seq = next.body.dataset.seq;
    document.body.toggleAttribute('data-live', next.body.hasAttribute('data-live'));
    if (follows) scrollTo({ top: root.scrollHeight });
  }

  async function refresh() {
    if (document.hidden) return;
    const { seq } = document.body.dataset;
    const address = location.pathname + (seq ? '?after=' + seq : '');
    const answer = await fetch(address, { cache: 'no-store', headers: { 'if-none-match': tag } });
    if (answer.status !== 200) return;
    tag = answer.headers.get('etag') ?? '';
    bringIn(new DOMParser().parseFromString(await answer.text(), 'text/html'));
  }

  function later() {
    if (!document.body.hasAttribute('data-live')) return;
    setTimeout(() => refresh().catch(() => {}).finally(later), INTERVAL);
  }
  function count() {
    for (const time of document.querySelectorAll('time[data-since]')) {
      const seconds = Math.round((Date.now() - Date.parse(time.dataset.since)) / 1000);
      time.textContent = 'for ' + Math.max(0, seconds) + ' s';
    }
  }
  later();
  setInterval(count, 1000);
})();`;

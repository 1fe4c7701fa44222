import type { Memory, MemoryList } from '../../contracts/memory.ts';
import { html, type Html } from '../../lib/text/html.ts';
import { day, plural } from '../../session/texts/format.ts';
import { page } from './layout.ts';

/** The memories of a session's repository. The pages change nothing, so it says how one is deleted. */
export const memoryPage = (id: string, { total, memories }: MemoryList): Html =>
  page({
    title: `Memory · session ${id}`,
    live: false,
    content: html`<h1>Memory of the repository</h1>
      <p class="soft">
        What sessions of the repository of <a href="/sessions/${id}">session ${id}</a> stored for
        later ones, newest first. To delete one, comment <code>/issuewright forget 3</code> on an
        issue of the repository.
      </p>
      ${
        total === 0
          ? html`<p class="empty">
              No memories yet. The model stores some if the repository's settings enable the tools
              <code>remember</code> and <code>search_memory</code>.
            </p>`
          : html`${memories.map(section)}${rest(total - memories.length)}`
      }`,
  });

const section = ({ number, text, session, issue, at, fromStrangers }: Memory): Html =>
  html`<section class="request" id="memory-${number}">
    <h2>Memory ${number}</h2>
    <p class="soft">
      By <a href="/sessions/${session}">the session of issue #${issue}</a>,
      ${day(at)}.${fromStrangers ? html` <strong>The session had read words of people without write access.</strong>` : ''}
    </p>
    <pre>${text}</pre>
  </section>`;

const rest = (count: number): Html | string =>
  count > 0
    ? html`<p class="soft">${plural(count, 'older memory is', 'older memories are')} not shown.</p>`
    : '';

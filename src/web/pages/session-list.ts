import { html, type Html } from '../../lib/text/html.ts';
import { clock } from '../../session/texts/format.ts';
import type { SessionSummary } from '../session-source.ts';
import { page, stateBadge } from './layout.ts';

/** The list of sessions, in the given order. */
export const sessionList = (sessions: readonly SessionSummary[]): Html =>
  page({
    title: 'Sessions',
    live: true,
    content: html`<div id="list" data-part>
      <h1>Sessions</h1>
      ${
        sessions.length === 0
          ? html`<p class="empty">
              No sessions yet. Add the label to an issue in a repository where the App is installed,
              and its session appears here.
            </p>`
          : html`<ul class="sessions">
              ${sessions.map(item)}
            </ul>`
      }
    </div>`,
  });

function item(session: SessionSummary): Html {
  const { id, repository, issue, title, state, pullRequest } = session;
  const updatedAt = session.updatedAt.toISOString();
  const place = `${repository.owner}/${repository.name} #${issue}`;
  const pull =
    pullRequest === undefined || pullRequest === null ? '' : ` · pull request #${pullRequest}`;
  return html`<li>
    <a href="/sessions/${encodeURIComponent(id)}">
      <span class="title">${title || `Issue #${issue}`}</span>${stateBadge(state)}
      <span class="faint">${place}${pull}</span
      ><time class="faint when" datetime="${updatedAt}"
        >${updatedAt.slice(0, 10)} ${clock(updatedAt)}</time
      >
    </a>
  </li>`;
}

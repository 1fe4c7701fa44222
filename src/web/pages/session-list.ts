import { html, type Html } from '../../lib/text/html.ts';
import { briefCost, clock, duration } from '../../session/texts/format.ts';
import type { Choices, ListQuery, SessionList, SessionSummary } from '../session-source.ts';
import { listedAs, page, stateBadge, STATE_NAMES } from './layout.ts';

/** A page of the list of sessions, in the given order. The newest ones update themselves. */
export function sessionList(
  { sessions, hasMore, choices }: SessionList,
  query: ListQuery,
  now: Date,
): Html {
  const last = sessions.at(-1);
  const pages: Html[] = [];
  if (query.after !== undefined)
    pages.push(html`<a href="${addressOf({ ...query, after: undefined })}">Newest sessions</a>`);
  if (hasMore && last !== undefined)
    pages.push(html`<a href="${addressOf({ ...query, after: last.id })}">Older sessions</a>`);
  const isFiltered = Object.keys(query).length > 0;
  return page({
    title: 'Sessions',
    live: query.after === undefined,
    content: html`<h1>Sessions</h1>
      ${form(choices, query)}
      <div id="list" data-part>
        ${
          sessions.length === 0
            ? html`<p class="empty">${isFiltered ? NO_MATCH : NONE}</p>`
            : html`<ul class="sessions">
                ${sessions.map((one) => item(one, now))}
              </ul>`
        }
        ${pages.length === 0 ? '' : html`<nav class="pages" aria-label="Pages">${pages}</nav>`}
      </div>`,
  });
}

const NONE =
  'No sessions yet. Add the label to an issue in a repository where the App is installed, and its session appears here.';
const NO_MATCH = html`No session is like this. <a href="/sessions">All sessions</a>`;

function addressOf({ state, repositoryId, model, search, after }: ListQuery): string {
  const given = { state, repository: repositoryId?.toString(), model, q: search, after };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) query.set(name, value);
  return query.size === 0 ? '/sessions' : `/sessions?${query.toString()}`;
}

/** Filters without a script: the browser makes the address of what is chosen. */
const form = ({ repositories, models }: Choices, query: ListQuery): Html =>
  html`<form class="filters" method="get" action="/sessions" role="search">
    ${select('State', 'state', [...STATE_NAMES], query.state)}
    ${select(
      'Repository',
      'repository',
      repositories.map(({ id, owner, name }) => [String(id), `${owner}/${name}`]),
      query.repositoryId?.toString(),
    )}
    ${select(
      'Model',
      'model',
      models.map((model) => [model, model]),
      query.model,
    )}
    <label
      >Title or number <input type="search" name="q" maxlength="200" value="${query.search ?? ''}"
    /></label>
    <button>Show</button>
  </form>`;

const select = (
  label: string,
  name: string,
  options: readonly (readonly [value: string, words: string])[],
  chosen: string | undefined,
): Html =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">Any</option>
      ${options.map(
        ([value, words]) =>
          html`<option value="${value}" ${value === chosen ? html` selected` : ''}>
            ${words}
          </option>`,
      )}
    </select></label
  >`;

function item(session: SessionSummary, now: Date): Html {
  const { id, repository, issue, title, pullRequest, model, cost: spent } = session;
  const place = `${repository.owner}/${repository.name} #${issue}`;
  const pull =
    pullRequest === undefined || pullRequest === null ? '' : ` · pull request #${pullRequest}`;
  const isFree = spent.dollars === 0 && !spent.isPartial;
  return html`<li>
    <a href="/sessions/${encodeURIComponent(id)}">
      <span class="title">${title || `Issue #${issue}`}</span
      >${stateBadge(session.state, listedAs(session))}
      <span class="faint">${place}${pull}${model === '' ? '' : html` · ${model}`}</span
      ><span class="faint when"
        >${isFree ? '' : html`${briefCost(spent)} · `}${opened(session, now)}</span
      >
    </a>
  </li>`;
}

/** "opened 3 h 5 min ago"; the times are in its title. */
function opened({ createdAt, updatedAt }: SessionSummary, now: Date): Html {
  const at = createdAt.toISOString();
  const exact = (iso: string): string => `${iso.slice(0, 10)} ${clock(iso)}`;
  const title = `Opened ${exact(at)}, last activity ${exact(updatedAt.toISOString())}`;
  return html`<time datetime="${at}" title="${title}"
    >opened ${ago(now.getTime() - createdAt.getTime())}</time
  >`;
}

const MINUTE_MS = 60_000;

/** In whole minutes, so that a page that asks again a moment later is the same. */
const ago = (ms: number): string =>
  ms < MINUTE_MS ? 'just now' : `${duration(ms - (ms % MINUTE_MS))} ago`;

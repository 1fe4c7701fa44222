import { html, type Html } from '../../lib/text/html.ts';
import type { JournalPart } from '../journal-part.ts';
import type { Session } from '../../session/session.ts';
import { stateOf, type State } from '../../session/state.ts';
import { headline } from '../../session/texts/headline.ts';
import { commentWritten, sessionActions } from './actions.ts';
import { usedSoFar } from './chart.ts';
import { page } from './layout.ts';
import { linksOf } from './links.ts';
import { sessionHead, sessionPlan } from './session-head.ts';
import { story } from './story.ts';
import type { Renderings } from './value.ts';

const FINAL: ReadonlySet<State> = new Set(['ignored', 'done', 'failed', 'stopped']);

/**
 * Whether more entries may follow. Even an answered session may get another question, and what someone asked of one that
 * is over may be admitted.
 */
export const isLive = (session: Session): boolean =>
  !FINAL.has(stateOf(session)) ||
  session.requests.awaitingAdmission.length > 0 ||
  (session.run?.end?.kind === 'answered' && stateOf(session) === 'done');

interface SessionPageOptions {
  readonly renderings?: Renderings;
  /** The last entry that an open page has: the timeline has only what changed since. */
  readonly after?: number | undefined;
  /** The newest entries are on another page, so this one does not change. */
  readonly isEarlier?: boolean;
  /** It is for someone with write access. */
  readonly isWriter?: boolean;
  /** A comment was just written, so there will be news. */
  readonly isSaid?: boolean;
}

/** The page of a session with a part of its timeline. It only depends on the journal, and on whether it is for someone with write access. */
export function sessionPage(
  id: string,
  part: JournalPart,
  githubUrl: string,
  {
    renderings = new Map(),
    after,
    isEarlier = false,
    isWriter = false,
    isSaid = false,
  }: SessionPageOptions = {},
): Html {
  const { session } = part;
  const isUpdate = after !== undefined;
  const links = linksOf(id, session, githubUrl);
  const { words } = headline(session);
  return page({
    title: `${session.thread.title || `Issue #${session.thread.issue}`} · ${words}`,
    live: (isLive(session) || isSaid) && !isEarlier,
    seq: session.seq,
    isUpdate,
    content: html`${sessionHead(part, links)}${isSaid && commentWritten()}${isWriter && sessionActions({ id, session })}${sessionPlan(session)}${usedSoFar(session)}${isUpdate ? '' : above(id, part)}
      <ol class="story" id="story">
        ${story(part, links, renderings, after)}
      </ol>
      ${isEarlier ? html`<p><a href="/sessions/${id}">Newest entries</a></p>` : ''}`,
  });
}

/** What does not change while the page is open. */
const above = (id: string, part: JournalPart): Html =>
  html`<h2>Journal of session ${id}</h2>
    <nav class="pages" aria-label="More about this session">
      <a href="/sessions/${id}/prompt">Next prompt of the model</a>
      <a href="/sessions/${id}/memory">Memory of the repository</a>
      <a href="/sessions/${id}/journal.json" download>Journal as JSON</a>
    </nav>
    ${earlier(id, part)}`;

/** The link to the entries before these; an open page loads them into itself. */
function earlier(id: string, { entries }: JournalPart): Html {
  const first = entries[0]?.seq ?? 1;
  return first === 1
    ? html`<p id="earlier"></p>`
    : html`<p id="earlier"><a href="/sessions/${id}?before=${first}">Earlier entries</a></p>`;
}

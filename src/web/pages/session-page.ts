import { html, type Html } from '../../lib/text/html.ts';
import type { JournalPart } from '../session-source.ts';
import type { Session } from '../../session/session.ts';
import { stateOf, type State } from '../../session/state.ts';
import { headline } from '../../session/texts/headline.ts';
import { buttonOutdated, commentWritten, sessionActions } from './actions.ts';
import { usedSoFar } from './chart.ts';
import { page, stateBadge } from './layout.ts';
import { linked, linksOf, prose, type Links } from './text.ts';
import { story } from './story.ts';
import type { Renderings } from './value.ts';
import type { Entry } from '../../session/entry.ts';
import type { TestRun } from '../../session/parts/session-work.ts';
import {
  briefCost,
  clock,
  cost,
  duration,
  plural,
  tokens,
  tokensUsed,
} from '../../session/texts/format.ts';
import { whereToLook } from '../../session/texts/status-comment.ts';
import { exitWords, testCounts } from '../../session/texts/runs.ts';
import { inlineMarkdown, longMarkdown } from './markdown.ts';

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
  /** A button of an older page was pressed, and nothing was done. */
  readonly isOutdated?: boolean;
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
    isOutdated = false,
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
    content: html`${sessionHead(part, links)}${isSaid && commentWritten()}${isOutdated && buttonOutdated()}${isWriter && sessionActions({ id, session })}${sessionPlan(session)}${usedSoFar(session)}${isUpdate ? '' : above(id, part)}
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
      ${runsOf(id, part)}
    </nav>
    ${earlier(id, part)}`;

/** Entries of a run that a page about its beginning shows, at most. */
const AROUND = 200;

/** Where each run begins; on a page of its own if this one does not show it. */
function runsOf(id: string, { marks, entries }: JournalPart): Html | string {
  const runs = marks.filter((entry) => entry.type === 'run_started');
  if (runs.length < 2) return '';
  const first = entries[0]?.seq ?? 1;
  const last = entries.at(-1)?.seq ?? 0;
  return html`${runs.map(({ run, seq }) => {
    const page = seq < first || seq > last ? `/sessions/${id}?before=${seq + AROUND}` : '';
    return html`<a href="${page}#entry-${seq}">Run ${run}</a> `;
  })}`;
}

/** The link to the entries before these; an open page loads them into itself. */
function earlier(id: string, { entries }: JournalPart): Html {
  const first = entries[0]?.seq ?? 1;
  return first === 1
    ? html`<p id="earlier"></p>`
    : html`<p id="earlier"><a href="/sessions/${id}?before=${first}">Earlier entries</a></p>`;
}

function sessionHead({ session, marks }: JournalPart, links: Links): Html {
  const { repository, issue, title } = session.thread;
  const { words, reason: why } = headline(session);
  const where = whereToLook(session);
  const isNow = stateOf(session) === 'working' && session.run?.deferred === undefined;
  const reason = isNow && why !== '' ? `Now: ${why}` : why;
  return html`<section class="head" id="head" data-part>
    <div class="where">
      ${linked(links.repository, `${repository.owner}/${repository.name}`)}${stateBadge(stateOf(session), words)}
      ${where?.url === undefined ? '' : linked(where.url, where.words)}
    </div>
    <h1>${prose(title || 'Issue')} ${linked(links.issue, `#${issue}`)}</h1>
    ${reason === '' ? '' : html`<div class="reason">${longMarkdown('reason', reason)}${isNow ? elapsed(session) : ''}</div>`}
    ${unpublished(session)}
    <dl class="facts">${facts(session, marks)}</dl>
  </section>`;
}

/** Since when the model is asked; the page's script counts the seconds. */
const elapsed = ({ run }: Session): Html | string =>
  run?.modelAskedAt === undefined
    ? ''
    : html` <time data-since="${run.modelAskedAt}">since ${clock(run.modelAskedAt)}</time>`;

/** Why GitHub does not show all of this session. */
const unpublished = ({ waiting: { publishingBlock: block } }: Session): Html | string =>
  block === undefined
    ? ''
    : html`<div class="reason">
        ${longMarkdown('unpublished', `Some of this could not be published on GitHub. ${block.reason}`)}
      </div>`;

function facts(session: Session, marks: readonly Entry[]): Html[] {
  const {
    thread: { pullRequest: pull, openedAt },
    run,
    spending: { destinations },
    requests: { requester },
  } = session;
  const all: [string, Html | string][] = [];
  if (pull !== undefined)
    all.push(['Pull request', linked(pull.url, `#${pull.number} ${pull.title}`)]);
  all.push(
    ['Requested by', requester === undefined ? '–' : `@${requester.login}`],
    ['Model', run?.model || '–'],
    ['Code, comments, tool results and command output sent to', receivers(destinations)],
    ...spentRows(session, marks),
    ...tested(session),
    ['Opened', `${openedAt.slice(0, 10)} ${clock(openedAt)}`],
  );
  return all.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
}

/** What this run took, if it is not the only one, and what all did. */
function spentRows(session: Session, marks: readonly Entry[]): [string, string][] {
  const { run, progress, at } = session;
  const { usage, cost: price } = session.spending;
  const all = [
    duration(workTime(session, marks)),
    plural(progress.replies, 'reply', 'replies'),
    tokensUsed(usage),
    cost(price),
  ].join(', ');
  if (usage.input + usage.output === 0) return [['Work', '–']];
  if (run === undefined || run.number === 1) return [['Work', all]];
  const { turns, tokens: used, dollars: spent } = progress.used;
  const took = Date.parse(run.endedAt ?? at) - Date.parse(run.startedAt);
  const words = [duration(took), plural(turns, 'reply', 'replies'), `${tokens(used)} tokens`];
  if (!price.isPartial || spent !== 0)
    words.push(briefCost({ dollars: spent, isPartial: price.isPartial }));
  return [
    [`Run ${run.number}`, words.join(', ')],
    [`All ${run.number} runs`, all],
  ];
}

/** The last whole run of the tests before the changes, and with them. */
function tested({ work: { tests } }: Session): [string, string][] {
  const words = (run: TestRun | undefined): string =>
    run === undefined ? 'not run' : testCounts(run).join(', ') || exitWords(run);
  const whole = tests.filter(({ isPartial }) => !isPartial);
  const [before, after] = [false, true].map((isWith) =>
    whole.findLast(({ onChanges }) => onChanges === isWith),
  );
  if (before === undefined && after === undefined) return [];
  return [['Tests', `before the changes: ${words(before)}; with them: ${words(after)}`]];
}

/** "OpenAI (earlier: Ollama)" */
function receivers(destinations: readonly string[]): string {
  const [now = '–', ...earlier] = destinations.toReversed();
  return earlier.length === 0 ? now : `${now} (earlier: ${earlier.join(', ')})`;
}

/** Milliseconds of all runs up to the last entry. */
function workTime({ at: now }: Session, marks: readonly Entry[]): number {
  let total = 0;
  let since: number | undefined;
  for (const { type, at } of marks) {
    if (type === 'run_started') since = Date.parse(at);
    if (type !== 'run_ended' || since === undefined) continue;
    total += Date.parse(at) - since;
    since = undefined;
  }
  return since === undefined ? total : total + Date.parse(now) - since;
}

/** What the agent plans to do, and what of it is done. */
const sessionPlan = ({ work: { plan: items } }: Session): Html =>
  items.length === 0
    ? html`<section id="plan" data-part></section>`
    : html`<section class="plan" id="plan" data-part>
        <h2>Plan, ${items.filter(({ done }) => done).length} of ${items.length} done</h2>
        <ul>
          ${items.map(
            ({ done, title }) =>
              html`<li class="${done ? 'is-done' : 'is-open'}">
                <span>${inlineMarkdown(title)}</span>
              </li>`,
          )}
        </ul>
      </section>`;

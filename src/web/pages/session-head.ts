// What a session's page says of the session as a whole.
import { html, webAddress, type Html } from '../../lib/text/html.ts';
import type { Entry } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import type { TestRun } from '../../session/parts/session-work.ts';
import { stateOf } from '../../session/state.ts';
import { clock, cost, duration, plural, tokensUsed } from '../../session/texts/format.ts';
import { outcomeOf } from '../../session/texts/runs.ts';
import { headline } from '../../session/texts/headline.ts';
import type { JournalPart } from '../journal-part.ts';
import { stateBadge } from './layout.ts';
import type { Links } from './links.ts';
import { inlineMarkdown, longMarkdown } from './markdown.ts';
import { prose } from './text.ts';

export function sessionHead({ session, marks }: JournalPart, links: Links): Html {
  const { repository, issue, title } = session.thread;
  const { words, reason: why } = headline(session);
  const isNow = stateOf(session) === 'working' && session.run?.deferred === undefined;
  const reason = isNow && why !== '' ? `Now: ${why}` : why;
  return html`<section class="head" id="head" data-part>
    <div class="where">
      ${link(links.repository, `${repository.owner}/${repository.name}`)}${stateBadge(stateOf(session), words)}
    </div>
    <h1>${prose(title || 'Issue')} ${link(links.issue, `#${issue}`)}</h1>
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
    spending: { usage, destinations },
    requests: { requester },
    progress: { replies },
  } = session;
  const all: [string, Html | string][] = [
    ...(pull === undefined
      ? []
      : [['Pull request', link(pull.url, `#${pull.number} ${pull.title}`)] as [string, Html]]),
    ['Requested by', requester === undefined ? '–' : `@${requester.login}`],
    ['Model', run?.model || '–'],
    ['Code, comments, tool results and command output sent to', receivers(destinations)],
    ['Work', `${duration(workTime(session, marks))}, ${plural(replies, 'reply', 'replies')}`],
    ...tested(session),
    ['Tokens', tokensUsed(usage, '')],
    ['Cost', usage.input + usage.output === 0 ? '–' : cost(session.spending.cost)],
    ['Opened', `${openedAt.slice(0, 10)} ${clock(openedAt)}`],
  ];
  return all.map(
    ([name, value]) =>
      html`<div>
        <dt>${name}</dt>
        <dd>${value}</dd>
      </div>`,
  );
}

/** The last whole run of the tests before the changes, and with them. */
function tested({ work: { tests } }: Session): [string, string][] {
  const words = (run: TestRun | undefined): string =>
    run === undefined ? 'not run' : resultOf(run);
  const whole = tests.filter(({ isPartial }) => !isPartial);
  const [before, after] = [false, true].map((isWith) =>
    whole.findLast(({ onChanges }) => onChanges === isWith),
  );
  if (before === undefined && after === undefined) return [];
  return [['Tests', `before the changes: ${words(before)}; with them: ${words(after)}`]];
}

function resultOf(run: TestRun): string {
  const { passed, failed } = run;
  const counts = [
    ...(failed === null ? [] : [`${failed} failed`]),
    ...(passed === null ? [] : [`${passed} passed`]),
  ];
  return counts.length === 0 ? outcomeOf(run) : counts.join(', ');
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
export const sessionPlan = ({ work: { plan: items } }: Session): Html =>
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

/** A link if the address is a web address; otherwise only the text. */
function link(address: string, words: Html | string): Html {
  const href = webAddress(address);
  return href === undefined
    ? html`${words}`
    : html`<a href="${href}" rel="noreferrer">${words}</a>`;
}

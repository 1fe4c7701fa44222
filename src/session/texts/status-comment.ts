import { cutCharacters } from '../../lib/text/text.ts';
import type { Session } from '../session.ts';
import { planChanges } from '../plan-changes.ts';
import { stateOf } from '../state.ts';
import { checksLine } from './check-words.ts';
import { commitList } from './commits.ts';
import { duplicatesFound } from './duplicates-found.ts';
import { headline } from './headline.ts';
import { details, quoted, sections, type Body, type Section } from './body.ts';
import { code, isOneLine, oneLine } from './markdown.ts';
import { leftToPeople } from './left-to-people.ts';
import { nextStep } from './next-step.ts';
import { baseLine } from './based-on.ts';
import { aboutAdopted } from './thread-reply.ts';
import { worthLine } from './pull-request-body.ts';
import { clock, cost, duration, firstLine, plural, tokensUsed } from './format.ts';

export interface StatusOptions {
  /** The session page, if people can reach one. */
  readonly pageUrl?: string | undefined;
  /** The repository on GitHub. */
  readonly repositoryUrl?: string | undefined;
  /** ISO time: shown as the last activity while a run works. */
  readonly now: string;
  /** Among the sessions that wait for a slot, from 1. */
  readonly place?: number | undefined;
}

// With these limits a comment stays well below GitHub's 65,536 characters, whatever the journal holds.
const MAX_PLAN = 50;
const MAX_COMMITS = 15;
const MAX_REASON = 6_000;
const MAX_WARNING = 400;

/** The one comment of a session that is kept up to date. Markdown. */
export function statusComment(session: Session, options: StatusOptions): Body {
  return sections(
    firstLines(session, options),
    worthLine(session),
    cause(session),
    aboutAdopted(session),
    duplicatesFound(session.work.duplicates),
    baseLine(session),
    unsafe(session),
    warnings(session),
    plan(session),
    commits(session),
    saved(session, options),
    pullRequest(session),
    leftToPeople(session),
    checksLine(session),
    footer(session, options),
  );
}

/** The state on one line; a reason longer than a line is folded away below it. */
function firstLines(session: Session, { now, place }: StatusOptions): Section | Body {
  const { sign, words, reason } = headline(session, now, place ?? null);
  const state = `**${sign} ${words}**`;
  const where = whereAsked(session);
  if (where !== undefined) return `${state} · ${where}.`;
  if (reason === '') return state;
  const short = `${state} · ${oneLine(firstLine(reason))}`;
  return isOneLine(reason)
    ? short
    : sections(short, details('In full', quoted(reason, MAX_REASON)));
}

/** The operator chose it, and every reader has to know. */
const unsafe = ({ run }: Session): string =>
  run?.shell === 'unsafe'
    ? "⚠️ **This run's commands are not sandboxed**: the operator set `SANDBOX=unsafe`, so they can do anything the service can do."
    : '';

/** For those who wrote the settings: the run continues without them. */
function warnings({ run }: Session): string {
  const lines = run?.warnings ?? [];
  if (lines.length === 0) return '';
  const list = lines.map((line) => `- ${cutCharacters(line, MAX_WARNING, '…')}`).join('\n');
  return `⚠️ **Some settings have no effect**\n${list}`;
}

/** A link to what the session waits for. */
function whereAsked(session: Session): string | undefined {
  const { question, proposal, publishingBlock } = session.waiting;
  const state = stateOf(session);
  // On a locked issue no new comment is possible, but this one can still be edited.
  if (publishingBlock !== undefined && question?.url === undefined) return undefined;
  if (state === 'waiting(answer)') return linked('see the question in the comments', question?.url);
  if (state !== 'waiting(approval)') return undefined;
  const what = proposal?.of === 'workflows' ? 'change' : 'plan';
  return linked(`see the ${what} in the comments`, proposal?.comment?.url);
}

const linked = (words: string, url: string | undefined): string =>
  url === undefined ? words : `[${words}](${encodeURI(url)})`;

/** Why a session started without a new request. */
const cause = ({ thread: { previousIssue, label }, requests: { requester } }: Session): string =>
  previousIssue === undefined
    ? ''
    : `Started automatically after #${previousIssue}, because \`continuous: true\` is set and ${requester?.login ?? 'someone'} added the label ${code(label)} to this issue.`;

function plan({ work: { plan: items }, waiting }: Session): Body {
  if (items.length === 0) return [];
  const { approval, approvedBy = '', approvedPlan } = waiting;
  const isApproved = approval === 'given' && approvedPlan.length > 0;
  const { added, reworded, removed } = planChanges(isApproved ? approvedPlan : items, items);
  const lines = items.slice(0, MAX_PLAN).map((item) => {
    const before = reworded.find((one) => one.item === item)?.before;
    const since = before === undefined ? '' : ` (was: ${oneLine(before)})`;
    return `- [${item.done ? 'x' : ' '}] ${oneLine(item.title)}${added.includes(item) ? ' (new)' : since}`;
  });
  if (items.length > MAX_PLAN) lines.push(`- … and ${items.length - MAX_PLAN} more`);
  const gone = removed.slice(0, MAX_PLAN).map(({ title }) => `- ~~${oneLine(title)}~~`);
  const isChanged = added.length + reworded.length + removed.length > 0;
  const by = isChanged
    ? `Plan, changed since ${approvedBy} approved it:`
    : `Plan approved by ${approvedBy}:`;
  return sections(approval === 'given' ? by : '', [...lines, ...gone].join('\n'));
}

const commits = (session: Session): string =>
  session.work.commits.length === 0
    ? ''
    : `**Commits**\n${commitList(session.work.commits, MAX_COMMITS)}`;

/** Where to find the work that was stopped before there was a pull request. */
function saved(session: Session, { repositoryUrl }: StatusOptions): string {
  const {
    run,
    work: { commits: done },
    thread: { pullRequest: pull },
  } = session;
  if (stateOf(session) !== 'stopped' || pull !== undefined || done.length === 0) return '';
  if (run === undefined || run.branch === '') return '';
  const where = repositoryUrl && `${repositoryUrl}/tree/${run.branch}`;
  return `The work so far is saved on the branch ${linked(code(run.branch), where)}.`;
}

const pullRequest = ({ thread: { pullRequest: pull } }: Session): string =>
  pull === undefined ? '' : `**Pull request** #${pull.number} ${oneLine(pull.title)}`;

function footer(session: Session, { pageUrl, now }: StatusOptions): string {
  const facts = [
    ...work(session),
    ...dependencies(session),
    ...spent(session),
    ...times(session, now),
    ...(pageUrl === undefined ? [] : [`[Session page](${encodeURI(pageUrl)})`]),
  ].join(' · ');
  const lines = [facts, receivers(session), nextStep(session)].filter((line) => line !== '');
  return lines.length === 0 ? '' : `---\n<sub>${lines.join('<br>')}</sub>`;
}

function work({ run }: Session): string[] {
  if (run === undefined || run.model === '') return [];
  const afresh = run.afresh ? ['a new conversation'] : [];
  if (run.turns === 0) return [code(run.model), ...afresh];
  const replies = plural(run.turns, 'reply', 'replies');
  const inRun = run.number === 1 ? replies : `${replies} in run ${run.number}`;
  return [code(run.model), inRun, ...afresh];
}

/** What was not reused, the session page explains. */
const dependencies = ({ work: { dependencies: cache } }: Session): string[] =>
  cache === 'found' ? ['dependencies from the cache'] : [];

/** The total of all runs. */
function spent({ run, spending: { usage, cost: price } }: Session): string[] {
  if (usage.input + usage.output === 0) return [];
  const runs = (run?.number ?? 1) > 1 ? 'all runs: ' : '';
  return [`${runs}${tokensUsed(usage)}, ${cost(price)}`];
}

/** Who receives the code: known once a run is prepared, and shown from then on. */
function receivers({ spending: { destinations, reviewers, embedders } }: Session): string {
  const [now, ...before] = destinations.toReversed().map(oneLine);
  if (now === undefined) return '';
  const also = before.length === 0 ? '' : `; earlier runs sent them to ${before.join(', ')}`;
  const others = reviewers.filter((one) => !destinations.includes(one));
  const changes =
    others.length === 0 ? '' : ` Changes are also sent to ${others.map(oneLine).join(', ')}.`;
  const memories =
    embedders.length === 0
      ? ''
      : ` Memories are also sent to ${embedders.map(oneLine).join(', ')}.`;
  return `Code, comments, tool results and command output are sent to ${now}${also}.${changes}${memories}`;
}

/** How long the run took or has taken so far, and its last activity. */
function times({ run }: Session, now: string): string[] {
  if (run === undefined) return [];
  const elapsed = duration(Date.parse(run.endedAt ?? now) - Date.parse(run.startedAt));
  if (run.end !== undefined || run.deferred !== undefined || run.paused) return [elapsed];
  return [elapsed, `Last active ${clock(now)}`];
}

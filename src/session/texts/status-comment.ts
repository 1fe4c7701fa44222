import { cutCharacters } from '../../lib/text/text.ts';
import type { Session } from '../session.ts';
import { planChanges, untickedSteps, stepChange } from './plans.ts';
import { stateOf } from '../state.ts';
import { checksLine } from './check-words.ts';
import { duplicatesFound } from './duplicates-found.ts';
import { hasOnlyReviewed, hasPatched, headline } from './headline.ts';
import {
  details,
  quotation,
  sections,
  code,
  isOneLine,
  oneLine,
  type Body,
  type Section,
} from './markdown.ts';
import { leftToPeople } from './work-done.ts';
import { howToStop, nextStep } from './next-step.ts';
import { baseLine, aboutAdopted } from './pull-request-comments.ts';
import { subIssueCost, subIssueList } from './sub-issues.ts';
import { pullRequestState } from '../parts/session-thread.ts';
import { worthOf } from '../worth.ts';
import { clock, cost, day, duration, firstLine, imageCost, plural, shortDigest } from './format.ts';

export interface StatusOptions {
  /** The session page, if people can reach one. */
  readonly pageUrl?: string | undefined;
  /** The repository on GitHub. */
  readonly repositoryUrl?: string | undefined;
  /** ISO time: shown while a run works. */
  readonly now: string;
  /** Among the sessions that wait for a slot, from 1. */
  readonly place?: number | undefined;
}

// With these limits a comment stays well below GitHub's 65,536 characters, whatever the journal holds.
const MAX_PLAN = 50;
const MAX_REASON = 6_000;
const MAX_WARNING = 400;

/** The one comment of a session that is kept up to date. Markdown. */
export function statusComment(session: Session, options: StatusOptions): Body {
  return sections(
    firstLines(session, options),
    nextStep(session),
    cause(session),
    aboutAdopted(session),
    duplicatesFound(session.work.duplicates),
    baseLine(session),
    unsafe(session),
    image(session),
    continued(session),
    warnings(session),
    plan(session),
    subIssueList(session),
    subIssueCost(session),
    saved(session, options),
    pullRequest(session),
    leftToPeople(session),
    checksLine(session),
    footer(session, options),
  );
}

/** The state on one line; a reason longer than a line is folded away below it. */
function firstLines(session: Session, { place }: StatusOptions): Section | Body {
  const { sign, words, reason } = headline(session, place ?? null);
  const state = `**${sign} ${words}**`;
  const where = whereToLook(session);
  // A patch may be one of several.
  const said = hasPatched(session) ? oneLine(firstLine(reason)) : '';
  if (where !== undefined)
    return [state, linked(where.words, where.url), said].filter((part) => part !== '').join(' · ');
  if (pullRequestState(session.thread) === 'merged') return `${state}${reviewed(session)}`;
  if (reason === '') return state;
  const short = `${state} · ${oneLine(firstLine(reason))}`;
  // What the agent says at its end is in a comment of its own.
  return isOneLine(reason) || stateOf(session) === 'done'
    ? short
    : sections(short, details('Full error', quotation(reason, MAX_REASON)));
}

/** The operator chose it, and every reader has to know. */
const unsafe = ({ run }: Session): string =>
  run?.shell === 'unsafe'
    ? "⚠️ **This run's commands are not sandboxed.** The operator set `SANDBOX=unsafe`, so they can do anything the service can do."
    : '';

/** The repository chose it: what is missing there is missing for the commands. */
function image({ run }: Session): string {
  if (run?.image === undefined || run.shell === undefined) return '';
  const { name, digest, seconds } = run.image;
  return `Commands run in the image ${code(name)} (${code(shortDigest(digest))}), ${imageCost(seconds)}.`;
}

/** Another server receives the code from here on. The reason ends like a sentence. */
function continued({ run }: Session): string {
  if (run?.fallback === undefined) return '';
  const { from, since, reason } = run.fallback;
  return `⚠️ **${code(run.model)} continues this run**: ${code(from)} has not answered since ${day(since)}. ${oneLine(reason)} From here on, code, comments, tool results and command output go to ${oneLine(run.destination)}.`;
}

/** For those who wrote the settings: the run continues without them. */
function warnings({ run }: Session): string {
  const lines = run?.warnings ?? [];
  if (lines.length === 0) return '';
  const list = lines.map((line) => `- ${cutCharacters(line, MAX_WARNING, '…')}`).join('\n');
  return `⚠️ **Some settings have no effect**\n${list}`;
}

/** What the session waits for, or came to, if that is elsewhere; with its address once that is known. */
export function whereToLook(
  session: Session,
): { readonly words: string; readonly url: string | undefined } | undefined {
  const { question, proposal, publishingBlock } = session.waiting;
  const state = stateOf(session);
  const { given, lastPatch } = session.work;
  if (hasOnlyReviewed(session)) return { words: 'see the review', url: given.at(-1)?.url };
  if (hasPatched(session)) return { words: 'see the patch', url: lastPatch?.url };
  // On a locked issue no new comment is possible, but this one can still be edited.
  if (publishingBlock !== undefined && question?.url === undefined) return undefined;
  if (state === 'waiting(answer)') return { words: 'see the question', url: question?.url };
  if (state !== 'waiting(approval)') return undefined;
  const whats = { workflows: 'change', sub_issues: 'proposal', plan: 'plan' } as const;
  const what = whats[proposal?.of ?? 'plan'];
  return { words: `see the ${what}`, url: proposal?.comment?.url };
}

function reviewed(session: Session): string {
  const rounds = worthOf(session)?.rounds ?? 0;
  return rounds === 0 ? '' : ` after ${plural(rounds, 'round')} of review`;
}

const linked = (words: string, url: string | undefined): string =>
  url === undefined ? words : `[${words}](${encodeURI(url)})`;

/** Why a session started without a new request. */
function cause({ thread: { previousIssue, parentIssue } }: Session): string {
  if (parentIssue !== undefined) return `Started as the next sub-issue of #${parentIssue}.`;
  return previousIssue === undefined
    ? ''
    : `Started after #${previousIssue} (\`continuous: true\`).`;
}

function plan(session: Session): Body {
  const { work, waiting } = session;
  const { plan: items } = work;
  if (items.length === 0 || isPlanShownWhole(session)) return [];
  const { approval, approvedBy = '', approvedPlan } = waiting;
  const isApproved = approval === 'given' && approvedPlan.length > 0;
  const changes = planChanges(isApproved ? approvedPlan : items, items);
  const { added, reworded, removed } = changes;
  const lines = items
    .slice(0, MAX_PLAN)
    .map(
      (item) => `- [${item.done ? 'x' : ' '}] ${oneLine(item.title)}${stepChange(item, changes)}`,
    );
  if (items.length > MAX_PLAN) lines.push(`- … and ${items.length - MAX_PLAN} more`);
  const gone = removed.slice(0, MAX_PLAN).map(({ title }) => `- ~~${oneLine(title)}~~`);
  const isChanged = added.length + reworded.length + removed.length > 0;
  const by = isChanged
    ? `Plan, changed since ${approvedBy} approved it:`
    : `Plan approved by ${approvedBy}:`;
  const list = [...lines, ...gone].join('\n');
  return sections(approval === 'given' ? by : '', list, unticked(session));
}

/** In the comment that waits for approval. */
const isPlanShownWhole = (session: Session): boolean =>
  stateOf(session) === 'waiting(approval)' &&
  session.waiting.proposal?.of === 'plan' &&
  session.waiting.publishingBlock === undefined;

function unticked(session: Session): string {
  const { length } = untickedSteps(session);
  if (length === 0) return '';
  const which = length === 1 ? 'that is' : 'they are';
  return `I finished without ticking ${length} of ${plural(session.work.plan.length, 'step')}: check whether ${which} done.`;
}

/** Where to find the work before there is a pull request. */
function saved(
  { run, work: { commits }, thread: { pullRequest: pull, adopted } }: Session,
  { repositoryUrl }: StatusOptions,
): string {
  if (pull !== undefined || adopted !== undefined || commits.length === 0) return '';
  if (run === undefined || run.branch === '') return '';
  const where = repositoryUrl && `${repositoryUrl}/tree/${run.branch}`;
  return `${plural(commits.length, 'commit')} on the branch ${linked(code(run.branch), where)}.`;
}

/** Unless the first line names it. */
function pullRequest(session: Session): string {
  const { pullRequest: pull } = session.thread;
  if (pull === undefined) return '';
  return headline(session).words.includes(`#${pull.number}`) ? '' : `Pull request: #${pull.number}`;
}

/** On one line. */
function footer(session: Session, { pageUrl, now }: StatusOptions): string {
  const facts = [
    ...work(session),
    ...spent(session),
    ...times(session, now),
    receivers(session),
    pageUrl === undefined ? '' : `[Session page](${encodeURI(pageUrl)})`,
    howToStop(session),
  ].filter((fact) => fact !== '');
  return facts.length === 0 ? '' : `---\n<sub>${facts.join(' · ')}</sub>`;
}

/** Of all runs, like the cost and the time. */
function work({ run, progress }: Session): string[] {
  if (run === undefined || run.model === '') return [];
  const model = [code(run.model), ...(run.effort === undefined ? [] : [`effort ${run.effort}`])];
  const afresh = run.afresh ? ['a new conversation'] : [];
  if (progress.replies === 0) return [...model, ...afresh];
  const replies = plural(progress.replies, 'reply', 'replies');
  const inRuns = run.number === 1 ? replies : `${replies} in ${run.number} runs`;
  return [...model, inRuns, ...afresh];
}

const spent = ({ spending: { usage, cost: price } }: Session): string[] =>
  usage.input + usage.output === 0 ? [] : [cost(price)];

/** Who receives the code: known once a run is prepared, and shown from then on. */
function receivers({ spending: { destinations, reviewers, embedders } }: Session): string {
  const [now, ...before] = destinations.toReversed().map(oneLine);
  if (now === undefined) return '';
  const others = reviewers.filter((one) => !destinations.includes(one));
  const also = [
    ...(before.length === 0 ? [] : [`before that to ${before.join(', ')}`]),
    ...(others.length === 0 ? [] : [`changes also to ${others.map(oneLine).join(', ')}`]),
    ...(embedders.length === 0 ? [] : [`memories also to ${embedders.map(oneLine).join(', ')}`]),
  ];
  return [`Code, comments and output go to ${now}`, ...also].join('; ');
}

/** How long the work has taken, without what it waited for, and while it works, when the comment was written. */
function times(session: Session, now: string): string[] {
  const { run, tally } = session;
  const { workedMs, steppedAt } = tally;
  if (run === undefined) return [];
  const sinceStep = steppedAt === undefined ? 0 : Date.parse(now) - Date.parse(steppedAt);
  const worked = `${duration(workedMs + Math.max(0, sinceStep))} of work`;
  if (stateOf(session) !== 'working' || run.deferred !== undefined || run.paused) return [worked];
  return [worked, `Updated ${clock(now)}`];
}

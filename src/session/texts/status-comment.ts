import { cutCharacters } from '../../lib/text.ts';
import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { commitList } from './commits.ts';
import { headline } from './headline.ts';
import { code, details, isOneLine, oneLine, quoted, sections } from './markdown.ts';
import { nextStep } from './next-step.ts';
import { clock, cost, duration, firstLine, plural, tokensUsed } from './words.ts';

export interface StatusOptions {
  /** The session page, where people can reach one. */
  readonly pageUrl?: string | undefined;
  /** Where people see the repository. */
  readonly repositoryUrl?: string | undefined;
  /** ISO time: shown as the last sign of life while work goes on. */
  readonly now: string;
}

// With these no comment comes near GitHub's 65,536 characters, whatever stands in the journal.
const MAX_PLAN = 50;
const MAX_COMMITS = 15;
const MAX_REASON = 6_000;
const MAX_WARNING = 400;

/** The one comment of a session that is edited live. Markdown. */
export function statusComment(session: Session, options: StatusOptions): string {
  return sections(
    firstLines(session),
    cause(session),
    unsafe(session),
    warnings(session),
    plan(session),
    commits(session),
    kept(session, options),
    pullRequest(session),
    footer(session, options),
  );
}

/** The state on one line; a reason that is longer than a line is folded away under it. */
function firstLines(session: Session): string {
  const { sign, words, reason } = headline(session);
  const state = `**${sign} ${words}**`;
  const where = whereAsked(session);
  if (where !== undefined) return `${state} · ${where}.`;
  if (reason === '') return state;
  const short = `${state} · ${oneLine(firstLine(reason))}`;
  return isOneLine(reason)
    ? short
    : sections(short, details('In full', quoted(reason, MAX_REASON)));
}

/** The operator chose it, and whoever reads along has to know. */
const unsafe = ({ run }: Session): string =>
  run?.shell === 'unsafe'
    ? '⚠️ **Commands of this run are not contained**: the operator set `SANDBOX=unsafe`, so they can do whatever the service can.'
    : '';

/** By those who wrote them: the run goes on without, and nobody else would tell them. */
function warnings({ run }: Session): string {
  const lines = run?.warnings ?? [];
  if (lines.length === 0) return '';
  const list = lines.map((line) => `- ${cutCharacters(line, MAX_WARNING, '…')}`).join('\n');
  return `⚠️ **Not all settings are followed**\n${list}`;
}

/** Where the person can see what is waited for. */
function whereAsked(session: Session): string | undefined {
  const { question, proposal, unpublished } = session;
  const state = stateOf(session);
  // Where no comment can be made, as on a locked issue, this one may still be edited.
  if (unpublished !== undefined && question?.url === undefined) return undefined;
  if (state === 'waiting(answer)') return linked('its question is in the comments', question?.url);
  if (state !== 'waiting(approval)') return undefined;
  return linked('its plan is in the comments', proposal?.comment?.url);
}

const linked = (words: string, url: string | undefined): string =>
  url === undefined ? words : `[${words}](${encodeURI(url)})`;

/** Nobody asked for it just now: whoever reads along sees why it began. */
const cause = ({ after, label, requester }: Session): string =>
  after === undefined
    ? ''
    : `It began by itself, because #${after} was finished and the settings say \`continuous: true\`: ${requester?.login ?? 'somebody'} had put the label ${code(label)} on this issue.`;

function plan({ plan: items, approval, approvedBy = '' }: Session): string {
  if (items.length === 0) return '';
  const lines = items
    .slice(0, MAX_PLAN)
    .map(({ done, title }) => `- [${done ? 'x' : ' '}] ${oneLine(title)}`);
  if (items.length > MAX_PLAN) lines.push(`- … and ${items.length - MAX_PLAN} more`);
  const agreed = approval === 'given' ? `Plan approved by ${approvedBy}:` : '';
  return sections(agreed, lines.join('\n'));
}

const commits = (session: Session): string =>
  session.commits.length === 0 ? '' : `**Commits**\n${commitList(session.commits, MAX_COMMITS)}`;

/** Where the work of those is who ended it before there was a pull request. */
function kept(session: Session, { repositoryUrl }: StatusOptions): string {
  const { run, commits: done, pullRequest: pull } = session;
  if (stateOf(session) !== 'stopped' || pull !== undefined || done.length === 0) return '';
  if (run === undefined || run.branch === '') return '';
  const where = repositoryUrl && `${repositoryUrl}/tree/${run.branch}`;
  return `What was done so far is kept on the branch ${linked(code(run.branch), where)}.`;
}

const pullRequest = ({ pullRequest: pull }: Session): string =>
  pull === undefined ? '' : `**Pull request** #${pull.number} ${oneLine(pull.title)}`;

function footer(session: Session, { pageUrl, now }: StatusOptions): string {
  const facts = [
    ...work(session),
    ...spent(session),
    ...times(session, now),
    ...(pageUrl === undefined ? [] : [`[Session page](${encodeURI(pageUrl)})`]),
  ].join(' · ');
  const lines = [facts, receivers(session), nextStep(session)].filter((line) => line !== '');
  return lines.length === 0 ? '' : `---\n<sub>${lines.join('<br>')}</sub>`;
}

function work({ run }: Session): string[] {
  if (run === undefined || run.model === '') return [];
  if (run.turns === 0) return [code(run.model)];
  const replies = plural(run.turns, 'reply', 'replies');
  return [code(run.model), run.number === 1 ? replies : `${replies} in run ${run.number}`];
}

/** What all runs have used together. */
function spent({ run, usage, cost: price }: Session): string[] {
  if (usage.input + usage.output === 0) return [];
  const runs = (run?.number ?? 1) > 1 ? 'all runs: ' : '';
  return [`${runs}${tokensUsed(usage)}, ${cost(price)}`];
}

/** Who gets to see the code: known once a run is prepared, and said from then on. */
function receivers({ destinations }: Session): string {
  const [now, ...before] = destinations.toReversed().map(oneLine);
  if (now === undefined) return '';
  const also = before.length === 0 ? '' : `; earlier ones went to ${before.join(', ')}`;
  return `Code and comments go to ${now}${also}.`;
}

/** How long the run took; while it goes on, how long so far, and when it was last heard of. */
function times({ run }: Session, now: string): string[] {
  if (run === undefined) return [];
  const elapsed = duration(Date.parse(run.endedAt ?? now) - Date.parse(run.startedAt));
  if (run.end !== undefined || run.parked !== undefined || run.paused) return [elapsed];
  return [elapsed, `Last sign of life ${clock(now)}`];
}

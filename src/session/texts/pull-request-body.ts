import type { Session } from '../session.ts';
import { isUnfinished } from '../unfinished.ts';
import { changedFiles, commitList } from './commits.ts';
import { headline } from './headline.ts';
import { maySteerUnlisted } from '../settings/other-agents.ts';
import { quoted, sections, type Body } from './body.ts';
import { code, oneLine } from './markdown.ts';
import { selfReview } from './findings.ts';
import { basedOnLine } from './based-on.ts';
import { commandsRun, testRuns } from './runs.ts';
import { NO_WORDS } from './own-summary.ts';
import { worthOf, type Worth } from '../worth.ts';
import { cost, duration, plural } from './format.ts';

export interface PullRequestBodyOptions {
  /** The session page, if people can reach one. */
  readonly pageUrl?: string | undefined;
  /** The agent's text for a pull request that is about to be opened. */
  readonly opening?: string | undefined;
}

// Together well below GitHub's 65,536 characters, whatever the journal holds.
const MAX_SAID = 12_000;
const MAX_FILES = 60;
const MAX_STEERING = 20;
const MAX_COMMITS = 20;

const SAYS = '## What the agent says';
const OBSERVED = '## What was observed';

/** The pull request's body: what the agent says, apart from what was observed. Markdown. */
export function pullRequestBody(session: Session, options: PullRequestBodyOptions): Body {
  return sections(
    `${isUnfinished(session.run) ? 'Part of' : 'Closes'} #${session.thread.issue}`,
    basedOnLine(session),
    unpublished(session),
    SAYS,
    said(session, options),
    OBSERVED,
    files(session),
    steering(session),
    withheld(session),
    `**Commits by the agent**\n\n${commitList(session.work.commits, MAX_COMMITS) || 'none'}`,
    testRuns(session),
    commandsRun(session),
    selfReview(session.work),
    worthLine(session),
    footer(session, options),
  );
}

/** What the agent said first, in a body that was published; empty if it has none. */
export function saidIn(published: string): string {
  const [, rest = ''] = published.split(`\n${SAYS}\n`, 2);
  const lines = (rest.split(`\n${OBSERVED}`, 1)[0] ?? '').trim().split('\n');
  const end = lines.findIndex((line) => !line.startsWith('>'));
  return lines
    .slice(0, end === -1 ? lines.length : end)
    .map((line) => line.replace(/^> ?/, ''))
    .join('\n');
}

/** Publications without which readers of the issue do not know the state. */
const STANDING: ReadonlySet<string> = new Set(['status', '*']);

/** The state, if it cannot be shown on the issue itself. */
function unpublished(session: Session): Body {
  const { publishingBlock: block } = session.waiting;
  if (block === undefined || !block.keys.some((key) => STANDING.has(key))) return [];
  const { sign, words, reason } = headline(session);
  const state = `**${sign} ${words}**${reason === '' ? '' : ` · ${oneLine(reason)}`}`;
  return sections(
    `⚠️ Issuewright cannot comment on #${session.thread.issue}. ${oneLine(block.reason)}`,
    state,
  );
}

function said(
  { thread: { pullRequest }, run }: Session,
  { opening }: PullRequestBodyOptions,
): Body {
  const first = (opening ?? pullRequest?.description ?? '').trim();
  const last = run?.finish?.summary.trim() ?? '';
  return sections(
    first === '' ? NO_WORDS : quoted(first, MAX_SAID),
    last === '' || last === first
      ? ''
      : sections('At the end of the last run:', quoted(last, MAX_SAID)),
  );
}

function files({ work: { commits } }: Session): string {
  const all = changedFiles(commits);
  if (all.length === 0) return '**Files changed**: none';
  const rows = all.map(({ path, status }) => `- ${status} ${code(path)}`);
  return `**Files changed** (${all.length})\n\n${shortened(rows)}`;
}

function shortened(rows: readonly string[], most = MAX_FILES): string {
  const left = rows.length - most;
  return [...rows.slice(0, most), ...(left > 0 ? [`- … and ${left} more`] : [])].join('\n');
}

/** Which files steer agents is a list, and no list has all agents: people see what else looks like one. */
function steering({ work: { commits } }: Session): string {
  const found = changedFiles(commits).filter(
    ({ path, status }) => status !== 'deleted' && maySteerUnlisted(path),
  );
  if (found.length === 0) return '';
  const rows = found.map(({ path }) => `- ${code(path)}`);
  return `**Read these before you merge** (${found.length}): programs and agents may follow files with such names by themselves.\n\n${shortened(rows, MAX_STEERING)}`;
}

function withheld({ work: { withheld: left } }: Session): string {
  if (left === undefined) return '';
  const rows = left.paths.map((path) => `- ${code(path)}`);
  if (left.total > rows.length) rows.push(`- … and ${left.total - rows.length} more`);
  return `**Left out of the commits** (${left.total}): ${NEVER_COMMITTED}.\n\n${rows.join('\n')}`;
}

const NEVER_COMMITTED =
  'no commit includes links that lead out of the repository, other repositories in it, names that are not UTF-8, ' +
  'files that the settings protect, what .gitignore ignored when it was made, or pipes, sockets and devices';

function footer({ run, thread, requests }: Session, { pageUrl }: PullRequestBodyOptions): string {
  const model = run === undefined || run.model === '' ? '' : ` (${code(run.model)})`;
  const link = pageUrl === undefined ? '' : ` [See every step](${encodeURI(pageUrl)}).`;
  const { requester } = requests;
  const by =
    thread.byHand === undefined || requester === undefined
      ? ''
      : ` ${code(requester.login)} started it with ${code('issuewright run')}.`;
  return `---\n<sub>A language model${model} wrote this change.${by} Review it before you merge.${link}</sub>`;
}

/** Empty until the pull request is merged, or it is closed. Markdown. */
export function worthLine(session: Session): string {
  const worth = worthOf(session);
  if (worth === undefined || session.thread.pullRequest === undefined) return '';
  if (worth.result !== 'merged' && worth.result !== 'closed') return '';
  const facts = [
    `**${ends[worth.result]}${afterRounds(worth)}**`,
    cost(worth),
    `${duration(worth.workedMs)} of work`,
    ...(worth.isZeroTouch ? ['zero touch: nobody had to say anything after the request'] : []),
  ];
  return facts.join(' · ');
}

const ends = { merged: 'Merged', closed: 'Closed without a merge' } as const;

const afterRounds = ({ rounds }: Worth): string =>
  rounds === 0 ? '' : ` after ${plural(rounds, 'round')} of review`;

import type { WithheldFiles } from '../../contracts/effect.ts';
import type { Session } from '../session.ts';
import { untickedSteps } from './plans.ts';
import { isUnfinished } from '../state.ts';
import { combineChanges, NO_SUMMARY, selfReview } from './work-done.ts';
import { headline } from './headline.ts';
import { maySteerUnlisted } from '../settings/other-agents.ts';
import {
  between,
  quotation,
  sections,
  code,
  oneLine,
  type Body,
  type Section,
} from './markdown.ts';
import { basedOnLine } from './pull-request-comments.ts';
import { commandsRun, testRuns } from './runs.ts';
import { worthOf } from '../worth.ts';
import { cost, duration, firstLine, plural, shortSha } from './format.ts';

export interface PullRequestBodyOptions {
  /** The session page, if people can reach one. */
  readonly pageUrl?: string | undefined;
  /** The agent's text for a pull request that is about to be opened, and its title. */
  readonly opening?: string | undefined;
  readonly title?: string | undefined;
}

// Together well below GitHub's 65,536 characters, whatever the journal holds.
const MAX_SAID = 12_000;
const MAX_STEERING = 20;
const MAX_STEPS = 20;
const MOST_LATER = 10;
const MOST_COMMITS = 3;

const SUMMARY = '## Summary';
const LATER = '## Changed since';
const LEFT = '## Not done yet';
const CHECKED = '## Checked by Issuewright';

/** The pull request's body: what the agent says of its change, apart from what was observed. Markdown. */
export function pullRequestBody(session: Session, options: PullRequestBodyOptions): Body {
  const said = whatAgentSays(session, options);
  return sections(
    isClosedBy(said, session)
      ? ''
      : `${isUnfinished(session.run) ? 'Part of' : 'Closes'} #${session.thread.issue}`,
    basedOnLine(session),
    unpublished(session),
    said === '' || /^#{1,6} /.test(said) ? '' : SUMMARY,
    said === '' && session.run?.finish?.summary.trim() === '' ? NO_SUMMARY : agentsWords(said),
    later(session),
    left(session, options),
    CHECKED,
    steering(session),
    inLfs(session),
    withheld(session),
    unticked(session),
    testRuns(session),
    selfReview(session.work),
    commandsRun(session),
    worthLine(session),
    footer(session, options),
  );
}

/** What the agent said first, in a body that was published; empty if it has none. */
export function summaryIn(published: string): string {
  const [before = ''] = published.split(new RegExp(`^(?:${LATER}|${LEFT}|${CHECKED})$`, 'm'), 1);
  const said = before.replace(OPENING, '').trim();
  if (said === NO_SUMMARY) return '';
  return said.startsWith('> ') ? said.replaceAll(/^> ?/gm, '') : said;
}

/** Our own paragraphs at the beginning. */
const OPENING =
  /^(?:\s*(?:<!--.*?-->|(?:Closes|Part of) #\d+|(?:⚠️ )?\*\*Based on #[^\n]*|## Summary)(?=\n))*/;

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

/** Without its first line if that is the title. */
function whatAgentSays(
  { thread: { pullRequest }, run }: Session,
  { opening, title }: PullRequestBodyOptions,
): string {
  const first = (opening ?? pullRequest?.description ?? '').trim();
  const said = first === '' ? (run?.finish?.summary.trim() ?? '') : first;
  const [line = ''] = said.split('\n', 1);
  const isTitle = line.replace(/^[#>*\s-]+/, '').trim() === (title ?? pullRequest?.title);
  return isTitle ? said.slice(line.length).trim() : said;
}

/** Between our own sections; as a quotation if people could take it for one of them. */
function agentsWords(words: string): Section {
  if (words === '') return '';
  return passesForOurs(words) ? quotation(words, MAX_SAID) : between(words, MAX_SAID);
}

/** The letters of our heading, however they are set apart; letters that only look like these; and signs that become letters. */
const passesForOurs = (words: string): boolean =>
  words
    .normalize('NFKC')
    .replaceAll(/\P{L}/gu, '')
    .toLowerCase()
    .includes('checkedbyissuewright') ||
  /\p{sc=Latin}[\p{sc=Cyrillic}\p{sc=Greek}]|[\p{sc=Cyrillic}\p{sc=Greek}]\p{sc=Latin}/u.test(
    words,
  ) ||
  /&[a-z]\w*;/i.test(words);

/** GitHub then needs no second line of ours. */
function isClosedBy(words: string, { thread: { issue }, run }: Session): boolean {
  if (isUnfinished(run) || passesForOurs(words)) return false;
  const prose = words.replaceAll(/^(`{3,}|~{3,})[^]*?(?:^\1|$(?![^]))/gm, '');
  return new RegExp(String.raw`^(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?) #${issue}\b`, 'im').test(
    prose,
  );
}

/** Of rounds after the first, the last: the summary above is that of the first. */
function later({ work }: Session): string {
  if (work.later.length === 0) return '';
  const rows = work.later
    .slice(-MOST_LATER)
    .map(
      ({ summary, commits }) =>
        `- ${oneLine(firstLine(summary))} (${commits.slice(-MOST_COMMITS).map(shortSha).join(', ')})`,
    );
  const before = work.later.length - rows.length;
  return [LATER, '', ...(before > 0 ? [`- … ${before} earlier`] : []), ...rows].join('\n');
}

/** Of work that was given up in part, unless that is what the agent said first. */
function left(
  { run, thread: { pullRequest } }: Session,
  { opening }: PullRequestBodyOptions,
): Body {
  const summary = run?.finish?.summary.trim() ?? '';
  const first = (opening ?? pullRequest?.description ?? '').trim();
  return !isUnfinished(run) || summary === first ? [] : sections(LEFT, agentsWords(summary));
}

/** Which files steer agents is a list, and no list has all agents: people see what else looks like one. */
function steering({ work: { commits } }: Session): string {
  const found = combineChanges(commits).filter(
    ({ path, status }) => status !== 'deleted' && maySteerUnlisted(path),
  );
  if (found.length === 0) return '';
  const rows = found.map(({ path }) => `- ${code(path)}`);
  const more = rows.length > MAX_STEERING ? [`- … and ${rows.length - MAX_STEERING} more`] : [];
  return `**Read these before you merge** (${found.length}): programs and agents may follow files with such names by themselves.\n\n${[...rows.slice(0, MAX_STEERING), ...more].join('\n')}`;
}

const withheld = ({ work }: Session): string =>
  listed(work.withheld, (total) => `**Left out of the commits** (${total}): ${NEVER_COMMITTED}.`);

const inLfs = ({ work }: Session): string =>
  listed(
    work.inLfs,
    (total) =>
      `**Could not be changed** (${total}): Git LFS stores these files, and Issuewright does not use it. Change them yourself, if the work needs it.`,
  );

function unticked(session: Session): string {
  const steps = untickedSteps(session);
  if (steps.length === 0) return '';
  const rows = steps.slice(0, MAX_STEPS).map(({ title }) => `- ${oneLine(title)}`);
  if (steps.length > rows.length) rows.push(`- … and ${steps.length - rows.length} more`);
  return `⚠️ **Finished without ticking in the plan** (${steps.length} of ${session.work.plan.length})\n\n${rows.join('\n')}`;
}

function listed(left: WithheldFiles | undefined, heading: (total: number) => string): string {
  if (left === undefined) return '';
  const rows = left.paths.map((path) => `- ${code(path)}`);
  if (left.total > rows.length) rows.push(`- … and ${left.total - rows.length} more`);
  return `${heading(left.total)}\n\n${rows.join('\n')}`;
}

const NEVER_COMMITTED =
  'links out of the repository, other repositories in it, files that are protected or were ignored, ' +
  'names that are not UTF-8, pipes, sockets and devices';

function footer({ run, thread, requests }: Session, { pageUrl }: PullRequestBodyOptions): string {
  const model = run === undefined || run.model === '' ? '' : ` (${code(run.model)})`;
  const link = pageUrl === undefined ? '' : ` [Every step](${encodeURI(pageUrl)}).`;
  const { requester } = requests;
  const by =
    thread.byHand === undefined || requester === undefined
      ? ''
      : ` ${code(requester.login)} started it with ${code('issuewright run')}.`;
  return `---\n<sub>Written by a language model${model}.${by} Review it before you merge.${link}</sub>`;
}

/** Empty until the pull request is merged, or it is closed. Markdown. */
export function worthLine(session: Session): string {
  const worth = worthOf(session);
  if (worth === undefined || session.thread.pullRequest === undefined) return '';
  if (worth.result !== 'merged' && worth.result !== 'closed') return '';
  const { rounds } = worth;
  const afterRounds = rounds === 0 ? '' : ` after ${plural(rounds, 'round')} of review`;
  const facts = [
    `**${ends[worth.result]}${afterRounds}**`,
    cost(worth),
    `${duration(worth.workedMs)} of work`,
    ...(worth.isZeroTouch ? ['zero touch: nobody had to say anything after the request'] : []),
  ];
  return facts.join(' · ');
}

const ends = { merged: 'Merged', closed: 'Closed without a merge' } as const;

import type { ToolResult } from '../../contracts/tool.ts';
import { besideTheWork, TellModel, TellPerson, Termination, unless } from '../../lib/errors.ts';
import type { Effect, LeftStep } from '../../contracts/effect.ts';
import { commitEffect } from '../git/commit.ts';
import type { OpenedPullRequest, RequestedReview } from '../../contracts/forge.ts';
import { defineTool, type Needs, type ReviewResult } from '../define-tool.ts';
import type { FileDiff } from '../../contracts/git.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { diffText } from '../git/diffs.ts';
import { z } from 'zod';
import { brief } from '../arguments.ts';

const MAX_TITLE = 120;
/** What tools that show commits cut it at. */
const MAX_SUBJECT = 72;

export interface WorkToPublish {
  /**
   * The agent's summary: the message of the commit. Its first line is the title of the pull request. If it is empty, both are the
   * title of the issue.
   */
  readonly summary: string;
  readonly at: Date;
  /** It is left to people as it is, and not reviewed. */
  readonly unfinished?: 'partial' | 'cannot' | undefined;
  readonly signal: AbortSignal;
}

/** The review of a model holds the change back: what the agent is told. */
interface HeldBack {
  readonly held: string;
}

export interface PublishedWork {
  /** Whether the session has committed anything. */
  readonly hasWork: boolean;
  /** On its way to people: missing if there is no work, and if it goes to someone else's pull request. */
  readonly pullRequest: OpenedPullRequest | undefined;
  readonly committed: boolean;
}

/**
 * Runs steps and keeps the effects of those that were done in the result, even if a later one fails, or the work is over
 * before it. After a shutdown, the call is repeated instead.
 */
export async function inSteps(
  signal: AbortSignal,
  take: (effects: Effect[]) => Promise<Omit<ToolResult, 'effects'>>,
): Promise<ToolResult> {
  const effects: Effect[] = [];
  try {
    return { ...(await take(effects)), effects };
  } catch (error) {
    if (effects.length === 0) throw error;
    if (error instanceof TellPerson) return { output: error.message, effects, halt: 'failed' };
    if (signal.reason instanceof Termination) return { output: IS_OVER, effects, ok: false };
    throw error;
  }
}

const IS_OVER = 'The work was stopped before the rest of this call.';

/**
 * Has what is finished reviewed, commits all remaining changes, and opens the pull request, unless one is open or there is
 * no work. What the review holds back is not committed, so that it becomes one commit with what is changed for it. Adds what was
 * done to `effects`. Safe to repeat.
 */
export async function publishWork(
  ports: Needs<'git' | 'forge' | 'work' | 'reviewer'>,
  wanted: WorkToPublish,
  effects: Effect[],
): Promise<PublishedWork | HeldBack> {
  const reviewed = wanted.unfinished !== undefined ? undefined : await reviewOf(ports, wanted);
  const { effect, heldBack: held } = reviewed ?? {};
  if (held !== undefined && effect !== undefined) effects.push(effect);
  if (held !== undefined) return { held };
  let committed: Omit<PublishedWork, 'pullRequest'>;
  try {
    committed = await commitWork(ports, wanted, effects);
  } finally {
    // After the commit, which it is a review of; also if that failed, because it has its price.
    if (effect !== undefined) effects.push(effect);
  }
  const isShown = committed.hasWork && ports.work.goesTo() !== 'branch';
  // Its body shows the review, so that it need not be edited for that.
  const pullRequest = isShown ? await openedPullRequest(ports, wanted, effects) : undefined;
  return { ...committed, pullRequest };
}

/** Of all that the branch will have. `undefined`: there is no work, or nobody reviews it. */
async function reviewOf(
  { git, work, reviewer }: Needs<'git' | 'work' | 'reviewer'>,
  { summary, signal }: WorkToPublish,
): Promise<ReviewResult | undefined> {
  const unpushed = await git.diff('');
  if (unpushed.length === 0 && !work.hasCommits()) return undefined;
  return reviewer.review({ unpushed, summary, signal });
}

async function openedPullRequest(
  { forge, work }: Needs<'forge' | 'work'>,
  { summary, unfinished: outcome }: WorkToPublish,
  effects: Effect[],
): Promise<OpenedPullRequest> {
  const open = work.openPullRequest();
  if (open !== undefined) return open;
  const title = titleOf(summary === '' ? work.issue().title : summary);
  const end: readonly Effect[] =
    outcome === undefined ? [] : [{ type: 'finish', outcome, summary }];
  const done = [...effects, ...end];
  const opened = await forge.openPullRequest({ title, body: summary, done });
  effects.push(pullRequestEffect(opened, title, summary));
  return opened;
}

async function commitWork(
  { git, work }: Needs<'git' | 'work'>,
  { summary, at, unfinished }: WorkToPublish,
  effects: Effect[],
): Promise<Omit<PublishedWork, 'pullRequest'>> {
  const message = messageOf(summary, work);
  // Half a merge stays stored for the next run.
  const options = unfinished === undefined ? {} : ({ unlessUnresolved: true } as const);
  const done = await git.commit({ message, at, ...options });
  const committed = done !== undefined;
  if (committed) effects.push(commitEffect(done, message));
  return { hasWork: committed || work.hasCommits(), committed };
}

/** The same for a branch in a fork: what is done reaches people as a patch. Unfinished work may be left without one. */
export async function offerPatch(
  { patches, work }: Needs<'patches' | 'work'>,
  { summary, at, unfinished }: WorkToPublish,
  effects: Effect[],
): Promise<PublishedWork> {
  const message = messageOf(summary, work);
  const offer = patches.offer({ summary, message, at });
  const patch = await (unfinished === undefined ? offer : unless(TellModel, offer));
  if (patch !== undefined) effects.push(patch);
  const hasWork = patch !== undefined;
  return { hasWork, committed: hasWork, pullRequest: undefined };
}

/**
 * Marks the pull request as ready and requests reviews. What GitHub denies is left to people, as the work is there. Returns
 * sentences that say what came of it.
 */
export async function submit(
  { forge, work }: Needs<'forge' | 'work'>,
  { number, url }: OpenedPullRequest,
  reviewers: readonly string[],
  effects: Effect[],
): Promise<string> {
  const steps: LeftStep[] = [];
  const isReady = await besideTheWork(
    async () => {
      await forge.markReady(number);
      return true;
    },
    (reason) => {
      steps.push({ step: 'ready_for_review', reason });
      return false;
    },
  );
  const { asked, denied } = await besideTheWork(
    async () => (reviewers.length === 0 ? NOBODY_ASKED : forge.requestReview(number, reviewers)),
    (reason) => {
      steps.push({ step: 'review_request', reviewers, reason });
      return { asked: [], denied: reviewers };
    },
  );
  if (asked.length > 0)
    effects.push({ type: 'review_requested', pullRequest: number, reviewers: asked });
  const isLeft = steps.length > 0 || (work.openPullRequest()?.left.length ?? 0) > 0;
  if (isLeft) effects.push({ type: 'left_to_people', pullRequest: number, steps });
  const words = [
    isReady
      ? `Pull request #${number} is ready for review (${url}).`
      : `Pull request #${number} is open (${url}). GitHub did not let the App take it out of draft, so people do that.`,
    asked.length === 0 ? '' : `Review requested from ${asked.join(', ')}.`,
    denied.length === 0 ? '' : `GitHub did not accept a review request for ${denied.join(', ')}.`,
  ];
  return words.filter((part) => part !== '').join(' ');
}

const NOBODY_ASKED: RequestedReview = { asked: [], denied: [] };

/** Of the one commit of a round of review, in the words of all that it takes the place of. */
function messageOf(summary: string, work: Needs<'work'>['work']): string {
  const held = work.heldCommits() ?? [];
  const [only, ...others] = held;
  if (only !== undefined && others.length === 0) return only;
  const own =
    summary === ''
      ? [messageFrom(titleOf(work.issue().title)), NO_SUMMARY]
      : [messageFrom(summary)];
  return [...own, ...held].join('\n\n');
}

const NO_SUMMARY = 'The agent gave no summary, so Issuewright named this after the task.';

/** The whole summary as a commit's message: what its first line has no room for is in the text below. */
function messageFrom(summary: string): string {
  const first = firstLine(summary);
  const subject = shortened(first, MAX_SUBJECT);
  const reason = summary.trimStart().split('\n').slice(1).join('\n').trim();
  const body = [subject === first ? '' : first, reason].filter((part) => part !== '');
  return [subject, ...body].join('\n\n');
}

const titleOf = (summary: string): string => shortened(firstLine(summary), MAX_TITLE);

/** Without Markdown's heading or list markers. */
function firstLine(summary: string): string {
  const [first = ''] = summary.trimStart().split('\n', 1);
  return first.replace(/^[#>*\s-]+/, '').trim() || 'Finish the work on the issue';
}

/** Cut between words, if there are any. */
function shortened(line: string, most: number): string {
  if (line.length <= most) return line;
  const head = line.slice(0, most - 1);
  const end = head.lastIndexOf(' ');
  const words = end > most / 2 && line.charAt(most - 1) !== ' ' ? head.slice(0, end) : head;
  return `${words.trimEnd().toWellFormed()}…`;
}

/** What people can read in a comment. */
const MOST_CHARACTERS = 30_000;
const LONGEST_LINE = 1_000;

const ASKED =
  'Changes of workflow files are not pushed before an administrator approves them. People are asked for that. Their answer comes as a message.';
const NOT_SHOWN = `An administrator has to approve changes of workflow files, and these cannot be shown as a whole in a comment: they must be text, have at most ${MOST_CHARACTERS} characters as a diff, and no line of more than ${LONGEST_LINE}. Make the change smaller, or undo it.`;

/**
 * The result of a call that submits the work while a change of workflow files waits for an administrator: it ends the
 * run. `undefined`: nothing waits.
 */
export async function askForWorkflows(
  { git }: Needs<'git'>,
  effects: Effect[],
): Promise<Omit<ToolResult, 'effects'> | undefined> {
  const change = await git.workflowChange();
  if (change === undefined) return undefined;
  const { digest, files } = change;
  const diff = escapeUnseen(diffText(files, Infinity));
  // Nobody is asked to approve what is not shown.
  if (!isWhole(files, diff)) return { output: NOT_SHOWN, ok: false };
  const paths = files.map(({ path, status }) => ({
    path,
    status: status === 'renamed' ? ('added' as const) : status,
  }));
  effects.push({ type: 'workflow_change', digest, files: paths, diff });
  return { output: ASKED, halt: 'asked' };
}

const isWhole = (files: readonly FileDiff[], diff: string): boolean =>
  files.every(({ hunks }) => hunks !== undefined) &&
  diff.length <= MOST_CHARACTERS &&
  diff.split('\n').every((line) => line.length <= LONGEST_LINE);

const schema = z.object({
  title: z.string().trim().min(1).max(250),
  body: z.string().max(60_000).optional().describe('Markdown'),
});

export const createPullRequest = defineTool({
  name: 'create_pull_request',
  aliases: [],
  description: 'Opens the pull request of this session with the commits made so far.',
  arguments: schema,
  argumentAliases: { description: 'body' },
  safety: 'safe',
  waitsFor: 'edits',
  worksOn: ['issues', 'issues by hand'],
  example: { title: 'Count long durations in days', body: 'Hours were hard to read.' },
  rendering: { arguments: { body: 'prose' }, output: 'plain' },
  title: ({ title }) => `Open a pull request: ${brief(title)}`,
  run: async ({ title, body = '' }, { forge, work }: Needs<'forge' | 'work'>) => {
    const open = work.openPullRequest();
    if (open !== undefined)
      return {
        output: `Pull request #${open.number} is already open (${open.url}). New commits appear in it.`,
      };
    if (!work.hasCommits())
      throw new TellModel('Nothing is committed yet: commit your changes first.');
    const opened = await forge.openPullRequest({ title, body });
    return {
      output: `Opened pull request #${opened.number}: ${opened.url}`,
      effects: [pullRequestEffect(opened, title, body)],
    };
  },
});

const pullRequestEffect = (
  { number, url }: OpenedPullRequest,
  title: string,
  said: string,
): Effect => ({ type: 'pull_request', number, url, title, description: said });

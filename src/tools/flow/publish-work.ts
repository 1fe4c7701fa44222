import type { ToolResult } from '../../contracts/tool.ts';
import { TellModel, TellPerson, Termination, unless } from '../../lib/errors.ts';
import { besideTheWork } from '../../lib/beside-the-work.ts';
import type { Effect, LeftStep } from '../../contracts/effect.ts';
import { commitEffect } from '../git/commit.ts';
import { pullRequestEffect } from '../github/create-pull-request.ts';
import type { OpenedPullRequest, RequestedReview } from '../../contracts/forge.ts';
import type { Needs } from '../define-tool.ts';
import type { ReviewRequest } from '../ports.ts';

const MAX_TITLE = 120;

export interface WorkToPublish {
  /** The agent's summary. Its first line is the title of the commit and of the pull request. */
  readonly summary: string;
  readonly at: Date;
  /** It is left to people as it is, and not reviewed. */
  readonly isUnfinished?: boolean;
  readonly signal: AbortSignal;
}

/** The review of a model holds the change back: what the agent is told. */
interface Held {
  readonly held: string;
}

export interface PublishedWork {
  /** Whether the session has committed anything. */
  readonly hasWork: boolean;
  /** On its way to people: missing if there is no work, and if it goes to someone else's pull request. */
  readonly pullRequest: OpenedPullRequest | undefined;
  readonly committed: boolean;
  /** The commit that it made, if it made one. */
  readonly head: string | undefined;
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
 * Commits all remaining changes, has what is finished reviewed, and opens the pull request, unless one is open or there is
 * no work. Adds what was done to `effects`. Safe to repeat.
 */
export async function publishWork(
  ports: Needs<'git' | 'forge' | 'work' | 'reviewer'>,
  wanted: WorkToPublish,
  effects: Effect[],
): Promise<PublishedWork | Held> {
  const committed = await commitWork(ports, wanted, effects);
  if (!committed.hasWork) return { ...committed, pullRequest: undefined };
  // What people are shown first has been reviewed, and its body need not be edited for that.
  const request = { head: committed.head, signal: wanted.signal };
  const held = wanted.isUnfinished === true ? undefined : await heldBack(ports, request, effects);
  if (held !== undefined) return { held };
  if (ports.work.goesTo() === 'branch') return { ...committed, pullRequest: undefined };
  return { ...committed, pullRequest: await openedPullRequest(ports, wanted, effects) };
}

async function openedPullRequest(
  { forge, work }: Needs<'forge' | 'work'>,
  { summary }: WorkToPublish,
  effects: Effect[],
): Promise<OpenedPullRequest> {
  const open = work.openPullRequest();
  if (open !== undefined) return open;
  const title = titleOf(summary);
  const opened = await forge.openPullRequest({ title, body: summary, done: [...effects] });
  effects.push(pullRequestEffect(opened, title, summary));
  return opened;
}

async function commitWork(
  { git, work }: Needs<'git' | 'work'>,
  { summary, at, isUnfinished = false }: WorkToPublish,
  effects: Effect[],
): Promise<Omit<PublishedWork, 'pullRequest'>> {
  const message = messageOf(titleOf(summary), work.heldCommits() ?? []);
  // Half a merge stays stored for the next run.
  const options = isUnfinished ? ({ unlessUnresolved: true } as const) : {};
  const done = await git.commit({ message, at, ...options });
  const committed = done !== undefined;
  if (committed) effects.push(commitEffect(done, message));
  return { hasWork: committed || work.hasCommits(), committed, head: done?.sha };
}

/**
 * The same in a round of review, which has one push: what is not pushed yet is reviewed first. If it is held back, nothing
 * is published.
 */
export async function publishReviewed(
  ports: Needs<'git' | 'forge' | 'work' | 'reviewer'>,
  wanted: WorkToPublish,
  effects: Effect[],
): Promise<PublishedWork | Held> {
  const unpushed = await ports.git.diff('');
  const { signal } = wanted;
  const reviewed = await ports.reviewer.review({ head: undefined, unpushed, signal });
  const { effect, heldBack: held } = reviewed ?? {};
  if (held !== undefined && effect !== undefined) effects.push(effect);
  if (held !== undefined) return { held };
  try {
    const committed = await commitWork(ports, wanted, effects);
    const isShown = committed.hasWork && ports.work.goesTo() !== 'branch';
    const pullRequest = isShown ? await openedPullRequest(ports, wanted, effects) : undefined;
    return { ...committed, pullRequest };
  } finally {
    // After the commit, which it is a review of; also if that failed, because it has its price.
    if (effect !== undefined) effects.push(effect);
  }
}

/** The same for a branch in a fork: what is done reaches people as a patch. Unfinished work may be left without one. */
export async function offerPatch(
  { patches, work }: Needs<'patches' | 'work'>,
  { summary, at, isUnfinished = false }: WorkToPublish,
  effects: Effect[],
): Promise<PublishedWork> {
  const message = messageOf(titleOf(summary), work.heldCommits() ?? []);
  const offer = patches.offer({ summary, message, at });
  const patch = await (isUnfinished ? unless(TellModel, offer) : offer);
  if (patch !== undefined) effects.push(patch);
  const hasWork = patch !== undefined;
  return { hasWork, committed: hasWork, head: undefined, pullRequest: undefined };
}

/** What the model is told if the change is held back once more, for what a review of it found. */
async function heldBack(
  { reviewer }: Needs<'reviewer'>,
  request: ReviewRequest,
  effects: Effect[],
): Promise<string | undefined> {
  const reviewed = await reviewer.review(request);
  if (reviewed !== undefined) effects.push(reviewed.effect);
  return reviewed?.heldBack;
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
function messageOf(title: string, held: readonly string[]): string {
  const [only, ...others] = held;
  if (only === undefined || others.length > 0) return [title, ...held].join('\n\n');
  return only;
}

/** The first line, without Markdown's heading or list markers. */
function titleOf(summary: string): string {
  const [first = ''] = summary.split('\n', 1);
  const line = first.replace(/^[#>*\s-]+/, '').trim() || 'Finish the work on the issue';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}

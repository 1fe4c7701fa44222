// Whether a review of a model may approve or block, and when it takes that back. Whoever wrote the change can tell the model to approve
// it, so facts decide that, and none of them is of the model.
import type { GivenReview } from '../../../contracts/effect.ts';
import type { ChangeToReview, VerdictOfReview } from '../../../contracts/forge.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import type { FoundOwnThread, PostedReview } from '../../../github/reviews/others-pull-requests.ts';
import { steeringFiles } from '../../../session/settings/index.ts';
import { isReviewed, mayGive } from '../../../session/settings/review.ts';
import { DISMISSAL_DENIED } from '../../../session/texts/pull-request-comments.ts';
import { diffText, isShownWhole } from '../../../tools/git/diffs.ts';
import { MAY_ASK } from '../../admission/who-may.ts';
import type { Service } from '../../service/service.ts';
import type { TextRedactor } from '../../../lib/text/redact.ts';
import type { SessionOnGitHub } from './issues.ts';

/** What a model is shown of a change to review at most, in characters: whoever reviews reads all of it. */
export const MAX_REVIEWED_DIFF = 60_000;

/** GitHub compares no more. */
export const MOST_FILES = 300;

/** What decides about code and about reviews: an approval of that is for people. */
const FOR_PEOPLE = ['.github', 'CODEOWNERS', 'docs/CODEOWNERS'];

export interface VerdictFacts extends Pick<SessionOnGitHub, 'tracker' | 'github'>, TextRedactor {
  readonly change: ChangeToReview;
  readonly threads: readonly FoundOwnThread[];
  /** The ids of threads that this review settles. */
  readonly settledRoots: readonly number[];
  readonly instructionFiles: readonly string[];
}

interface WantedReview {
  readonly verdict: VerdictOfReview;
  readonly remarks: readonly unknown[];
}

interface AllowedVerdict {
  readonly verdict: VerdictOfReview;
  /** Why it is no approval, for people. */
  readonly note?: string;
}

/** Whether the model was shown all of the change. What is new alone does not show how lines were moved. */
function isShown({ files, leftOut, news }: ChangeToReview, redact: Service['redact']): boolean {
  if (news !== undefined || leftOut.length > 0 || files.length >= MOST_FILES) return false;
  const text = diffText(files, MAX_REVIEWED_DIFF);
  // Code can look like a secret, so that the model does not see it.
  return isShownWhole(files, MAX_REVIEWED_DIFF) && redact(text) === text;
}

export async function allowedVerdict(
  facts: VerdictFacts,
  { verdict, remarks }: WantedReview,
): Promise<AllowedVerdict> {
  const { may = 'comment' } = facts.change;
  if (!mayGive(may, verdict)) return { verdict: 'comment' };
  // A block ends with its threads, so it begins with one.
  if (verdict === 'request_changes' && remarks.length === 0) return { verdict: 'comment' };
  const reason = verdict === 'approve' ? await againstApproval(facts) : undefined;
  return reason === undefined ? { verdict } : { verdict: 'comment', note: reason };
}

/** What is not known stands against it. */
async function againstApproval(facts: VerdictFacts): Promise<string | undefined> {
  const { tracker, github, change, threads, settledRoots, instructionFiles, redact } = facts;
  const { thread, work } = tracker.session;
  const { adopted } = thread;
  if (adopted === undefined || adopted.fork !== undefined) return 'it comes from a fork';
  if (work.commits.length > 0) return 'some of its commits are mine';
  if (!isShown(change, redact)) return 'I was not shown all of it';
  const forPeople = [...FOR_PEOPLE, ...steeringFiles(instructionFiles)];
  const decides = change.files.some(({ path, from = path }) =>
    [path, from].some((one) => isReviewed(forPeople, one)),
  );
  if (decides) return 'it changes workflows, settings, code owners or instructions';
  if ((await openThreads(github, threads)).some(({ root }) => !settledRoots.includes(root)))
    return 'threads are open';
  const now = await github.pullRequest(thread.issue);
  if (now === undefined || now.head !== work.head || now.baseBranch !== adopted.baseBranch)
    return 'it has changed meanwhile';
  if (now.isOwn || now.isByBot || now.fork !== undefined) return 'no person here opened it';
  if (!MAY_ASK.has(await github.permissionOf(now.author))) return 'its author has no write access';
  return (await github.dismissesStaleApprovals(now.baseBranch))
    ? undefined
    : 'no ruleset of its base branch dismisses approvals after a push';
}

const NEW_VERSION = 'The pull request has changed since.';
export const SETTLED = 'Its threads are resolved.';

/** The reviews that requested changes. */
export const blocksIn = (given: readonly GivenReview[]): readonly GivenReview[] =>
  given.filter(({ verdict }) => verdict === 'changes_requested');

/**
 * GitHub lets the author of a pull request resolve all its threads, also without write access (rule `author-resolves-threads`): what someone resolved who may not
 * request work is open still.
 */
export async function openThreads(
  github: Pick<SessionOnGitHub['github'], 'permissionOf'>,
  threads: readonly FoundOwnThread[],
): Promise<readonly FoundOwnThread[]> {
  const logins = new Set(threads.flatMap(({ resolvedBy }) => resolvedBy ?? []));
  const strangers = new Set<string>();
  for (const login of logins)
    if (!MAY_ASK.has(await github.permissionOf(login))) strangers.add(login);
  return threads.filter(
    ({ isResolved, resolvedBy }) =>
      !isResolved || (resolvedBy !== undefined && strangers.has(resolvedBy)),
  );
}

/**
 * Takes back what no longer holds: an approval of an earlier version, and a request for changes whose threads are resolved. GitHub
 * keeps both when the same reviewer only comments. Answers a note for people if GitHub does not let the App do it.
 */
export async function withdrawVerdicts(
  {
    tracker,
    github,
    threads,
    settledRoots,
  }: Omit<VerdictFacts, 'change' | 'instructionFiles' | 'redact'>,
  next: VerdictOfReview,
): Promise<string | undefined> {
  // A newer verdict takes the place of an older one.
  if (next !== 'comment') return undefined;
  const { work, thread } = tracker.session;
  const given = work.given.filter(({ verdict }) => verdict !== undefined);
  const open = await openThreads(github, threads);
  const left = open.filter(({ root }) => !settledRoots.includes(root));
  const isBlocked = blocksIn(given).some(({ id }) => left.some(({ review }) => review === id));
  try {
    for (const { id = 0, verdict } of given) {
      if (verdict === 'changes_requested' && isBlocked) continue;
      const why = verdict === 'approved' ? NEW_VERSION : SETTLED;
      await github.dismissReview({ number: thread.issue, id, why });
    }
    return undefined;
  } catch (error) {
    if (error instanceof GitHubDenied) return DISMISSAL_DENIED;
    throw error;
  }
}

/** What the journal keeps of a verdict. */
export const verdictOf = ({ verdict }: PostedReview): Pick<PostedReview, 'verdict'> =>
  verdict === undefined ? {} : { verdict };

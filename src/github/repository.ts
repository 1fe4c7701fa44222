import type { VerifiedCommits } from '../contracts/git.ts';
import { bindFirst, type WithoutFirst } from '../lib/bind-first.ts';
import type { IsClosed } from '../lib/target-of.ts';
import { isPublic, permissionOf } from './access/people.ts';
import type { Permissions } from './access/permissions.ts';
import { publishCheckRun } from './checks/check-runs.ts';
import { doNotMerge, mergeWhenReady } from './auto-merge.ts';
import { createRepositoryChecks, type RepositoryChecks } from './checks/index.ts';
import { publishComment } from './comments.ts';
import type { Gate } from './gate.ts';
import { changeSince, commitFiles, hasBranch, listBranches, listCommits } from './history.ts';
import { fetchImage, type FetchedImage, type IsAttachment } from './images/fetch-image.ts';
import {
  addLabel,
  commentsAsOf,
  issueState,
  listIssues,
  readIssue,
  removeLabel,
} from './issues.ts';
import {
  changeBase,
  markReady,
  mergeability,
  openPullRequest,
  requestReview,
  updatePullRequest,
} from './pull-requests.ts';
import { addReaction, thumbsUp, unreact } from './reactions.ts';
import { relatedWork } from './related-work.ts';
import { readRepositoryFile } from './repository-files.ts';
import {
  dismissesStaleApprovals,
  dismissReview,
  findPullRequest,
  mergesItself,
  ownThreads,
  postReview,
  resolveOwnThreads,
  pushConcern,
} from './reviews/others-pull-requests.ts';
import { lineCommentsOf, reviewOf } from './reviews/review-comments.ts';
import { publishThreadReply, resolveThread } from './reviews/thread-replies.ts';
import { shownText } from './shown-texts.ts';
import { changersSince, listSubIssues, openSubIssue, readParent } from './sub-issues.ts';
import { triggerOf, waitingIssues } from './waiting-issues.ts';

/** What takes the gate first, and is called without it. Each may throw TryLater. */
const OPERATIONS = {
  permissionOf,
  lineCommentsOf,
  reviewOf,
  comment: publishComment,
  replyToThread: publishThreadReply,
  resolveThread,
  react: addReaction,
  unreact,
  thumbsUp,
  addLabel,
  removeLabel,
  waitingIssues,
  triggerOf,
  changersSince,
  shown: shownText,
  issueState,
  parentIssue: readParent,
  subIssues: listSubIssues,
  openSubIssue,
  commentsAsOf,
  pullRequest: findPullRequest,
  mergesItself,
  openPullRequest,
  updatePullRequest,
  changeBase,
  submitReview: postReview,
  dismissReview,
  dismissesStaleApprovals,
  ownThreads,
  resolveOwnThreads,
  whyNotToPush: pushConcern,
  markReady,
  mergeWhenReady,
  doNotMerge,
  mergeability,
  requestReview,
  issue: readIssue,
  issues: listIssues,
  commits: listCommits,
  commitFiles,
  changeSince,
  branches: listBranches,
  hasBranch,
  checkRun: publishCheckRun,
  relatedWork,
};

type Operations = WithoutFirst<Gate, typeof OPERATIONS>;

/** What the installation, or the token of a person, gives. */
interface Access {
  /** Where git finds it; holds no credentials. */
  readonly gitUrl: string;
  /** The password for one git call, with any user name. `invalidToken` is one that the server did not accept. */
  gitToken(access: 'read' | 'write' | 'workflows', invalidToken?: string): Promise<string>;
  /**
   * A file from the owner's `.github` repository, like `readFile`, at most a few minutes old; `undefined` also if there is no
   * such repository, or the App is not installed on it.
   */
  ownersFile(path: string): Promise<string | undefined>;
  /** What of these permissions the App lacks here, and who can grant it, for people; `undefined`: nothing. */
  lacking(wanted: Permissions): Promise<string | undefined>;
}

/** One repository as a person, or a workflow, reads and writes it: GitHub signs the commits of Apps alone. */
export interface UnsignedRepository extends Operations, Access {
  /** Whether everyone on the internet can read it. */
  isPublic(): Promise<boolean>;
  /** The text of a file on the default branch, 64 KB at most; `undefined` without one. No link to what `isClosed` is followed. */
  readFile(path: string, isClosed?: IsClosed): Promise<string | undefined>;
  /** An image of a text, by its address as GitHub rendered it just now. Never throws. */
  image(address: string, signal: AbortSignal): Promise<FetchedImage>;
  /** What people mention the App by. */
  appSlug(): Promise<string>;
  readonly checks: RepositoryChecks;
}

/** One repository as the App reads and writes it. */
export interface GitHubRepository extends UnsignedRepository {
  /** Commits that GitHub makes and signs. */
  verifiedCommits(access: 'write' | 'workflows'): VerifiedCommits;
}

/** Says what an account may do in the repository. */
export type PermissionLookup = Pick<GitHubRepository, 'permissionOf'>;

export function createGitHubRepository({
  gate,
  isAttachment,
  ...access
}: Access & { readonly gate: Gate; readonly isAttachment: IsAttachment }): UnsignedRepository {
  return {
    ...access,
    ...bindFirst(gate, OPERATIONS),
    isPublic: () => isPublic(gate, access.gitUrl),
    readFile: (path, isClosed) => readRepositoryFile(gate.octokit, gate.repository, path, isClosed),
    image: (address, signal) => fetchImage(address, { isAttachment, signal }),
    appSlug: async () => (await gate.identity()).slug,
    checks: createRepositoryChecks(gate),
  };
}

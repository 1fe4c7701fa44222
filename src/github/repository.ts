import type { IsClosed } from '../lib/target-of.ts';
import type { IsAttachment } from './images/attachment-hosts.ts';
import { fetchImage, type FetchedImage } from './images/fetch-image.ts';
import { createRepositoryChecks, type RepositoryChecks } from './checks/index.ts';
import { publishCheckRun, type CheckRunRequest } from './checks/check-runs.ts';
import { publishComment, type CommentRequest, type Published } from './comments.ts';
import type { Gate } from './gate.ts';
import { readRepositoryFile } from './repository-files.ts';
import {
  changeSince,
  commitFiles,
  hasBranch,
  listBranches,
  listCommits,
  type LogQuery,
} from './history.ts';
import type { FileDiff } from '../contracts/git.ts';
import type { VerifiedCommits } from '../contracts/verified-commits.ts';
import type { RelatedWork } from '../contracts/related-work.ts';
import type {
  BranchChange,
  IssueQuery,
  IssueSummary,
  IssueThread,
  LoggedCommit,
  RequestedReview,
} from '../contracts/forge.ts';
import {
  addLabel,
  commentsAsOf,
  issueState,
  listIssues,
  readIssue,
  removeLabel,
  type IssueState,
  type PersonsComment,
  type WrittenText,
} from './issues.ts';
import type { Permissions } from './access/permissions.ts';
import {
  changeBase,
  markReady,
  mergeability,
  openPullRequestOnce,
  requestReview,
  updatePullRequest,
  type BaseChange,
  type Mergeability,
  type PullRequest,
  type PullRequestRequest,
  type PullRequestText,
} from './pull-requests.ts';
import { isPublic, permissionOf, type PermissionLevel } from './access/people.ts';
import type { AdoptedPullRequest, PushConcern } from '../contracts/pull-request.ts';
import { postReview, type ReviewRequest } from './reviews/own-reviews.ts';
import {
  findPullRequest,
  mergesItself,
  pushConcern,
  type FoundPullRequest,
} from './reviews/others-pull-requests.ts';
import { relatedWork } from './related-work.ts';
import {
  lineCommentsOf,
  reviewOf,
  type FoundLineComment,
  type FoundReview,
} from './reviews/review-comments.ts';
import {
  publishThreadReply,
  resolveThread,
  type ThreadReplyRequest,
  type ThreadToResolve,
} from './reviews/thread-replies.ts';
import { shownText, type RenderedText, type ShownTextPlace } from './shown-texts.ts';
import type { Shown } from './text/index.ts';
import {
  addReaction,
  thumbsUp,
  unreact,
  type ReactionRequest,
  type ThumbsUp,
} from './reactions.ts';
import { triggerOf, waitingIssues, type StartedBy } from './waiting-issues.ts';

/** One repository as the App reads and writes it. Every method may throw TryLater. */
export interface GitHubRepository {
  /** Where git finds it; holds no credentials. */
  readonly gitUrl: string;
  /** The password for one git call, with any user name. `invalidToken` is one that the server did not accept. */
  gitToken(access: 'read' | 'write' | 'workflows', invalidToken?: string): Promise<string>;
  /** Whether everyone on the internet can read it. */
  isPublic(): Promise<boolean>;
  /** What of these permissions the App lacks here, and who can grant it, for people; `undefined`: nothing. */
  lacking(wanted: Permissions): Promise<string | undefined>;
  /** Commits that GitHub makes and signs. */
  verifiedCommits(access: 'write' | 'workflows'): VerifiedCommits;
  /**
   * What the person may do here; `none` for a login that does not exist, or that another account than `id` has by now:
   * who renames an account gives its login up.
   */
  permissionOf(login: string, id?: number): Promise<PermissionLevel>;
  /** The text of a file on the default branch, 64 KB at most; `undefined` without one. No link to what `isClosed` is followed. */
  readFile(path: string, isClosed?: IsClosed): Promise<string | undefined>;
  /**
   * The same from the owner's `.github` repository, at most a few minutes old; `undefined` also if there is no
   * such repository, or the App is not installed on it.
   */
  ownersFile(path: string): Promise<string | undefined>;
  /** What a review says on single lines, oldest first. */
  lineCommentsOf(pullRequest: number, reviewId: number): Promise<readonly FoundLineComment[]>;
  /** `undefined` if it is gone, or was dismissed. */
  reviewOf(pullRequest: number, reviewId: number): Promise<FoundReview | undefined>;
  /** An image of a text, by its address as GitHub rendered it just now. Never throws. */
  image(address: string, signal: AbortSignal): Promise<FetchedImage>;
  comment(request: CommentRequest): Promise<Published>;
  /** `undefined` if the thread needs no reply any more. */
  replyToThread(request: ThreadReplyRequest): Promise<Published | undefined>;
  /** Safe to repeat. @throws {TryLater} if our reply is not there yet */
  resolveThread(thread: ThreadToResolve): Promise<void>;
  /** The id of the reaction. */
  react(request: ReactionRequest): Promise<number>;
  unreact(reaction: Pick<ReactionRequest, 'in'> & { readonly reaction: number }): Promise<void>;
  /** @throws {NotFound} if the comment no longer exists */
  thumbsUp(comment: number): Promise<readonly ThumbsUp[]>;
  addLabel(issue: number, name: string): Promise<void>;
  removeLabel(issue: number, name: string): Promise<void>;
  /** Open issues with the label, oldest first. */
  waitingIssues(label: string, page: number): ReturnType<typeof waitingIssues>;
  /** Who put the label on an issue, or assigned it; `undefined` if GitHub does not say. */
  triggerOf(issue: number, wanted: StartedBy): ReturnType<typeof triggerOf>;
  /** What people saw of a text when its source was this. `now`: the text, if it was fetched just now. */
  shown(place: ShownTextPlace, source: string, now?: RenderedText): Promise<Shown>;
  /** What people mention the App by. */
  appSlug(): Promise<string>;
  /** @throws {NotFound} */
  issueState(number: number): Promise<IssueState>;
  /** What people had written by a time, and not edited since; the newest, oldest first. */
  commentsAsOf(number: number, at: string): Promise<readonly PersonsComment[]>;
  /** One that someone else opened, as it is now; `undefined` if there is none. */
  pullRequest(number: number): Promise<FoundPullRequest | undefined>;
  /** Whether GitHub merges it once it may, without anyone doing more. */
  mergesItself(number: number): Promise<boolean>;
  openPullRequest(request: PullRequestRequest): Promise<PullRequest>;
  updatePullRequest(request: PullRequestText & { readonly number: number }): Promise<void>;
  /** See `pull-requests.ts`. */
  changeBase(change: BaseChange): Promise<string>;
  /** Why people are asked before anything is pushed to the branch of a pull request; `undefined`: no reason. */
  whyNotToPush(
    pullRequest: Pick<AdoptedPullRequest, 'number' | 'branch'>,
  ): Promise<PushConcern | undefined>;
  /** Comments on a pull request of someone else, as a review. Safe to repeat. */
  submitReview(request: ReviewRequest): Promise<Published>;
  markReady(number: number): Promise<void>;
  /** Whether GitHub can merge a pull request. @throws {NotFound} */
  mergeability(number: number): Promise<Mergeability>;
  /** Requests reviews, by login, and returns those who cannot review. Safe to repeat. */
  requestReview(number: number, logins: readonly string[]): Promise<RequestedReview>;
  /** Page 1 of the comments has the newest. @throws {NotFound} */
  issue(number: number, page: number): Promise<IssueThread<WrittenText>>;
  issues(query: IssueQuery): Promise<{
    readonly issues: readonly IssueSummary[];
    readonly hasMore: boolean;
  }>;
  commits(query: LogQuery): Promise<readonly LoggedCommit[]>;
  /** `undefined` if there is no such commit. */
  commitFiles(commit: string): Promise<readonly FileDiff[] | undefined>;
  /** What `head` has since it left `base`. */
  changeSince(base: string, head: string): Promise<BranchChange>;
  /** The first hundred. */
  branches(): Promise<{ readonly names: readonly string[]; readonly hasMore: boolean }>;
  hasBranch(name: string): Promise<boolean>;
  /** `undefined` if GitHub does not know the commit. Ask `lacking` first. */
  checkRun(request: CheckRunRequest): Promise<Published | undefined>;
  /** What may solve an issue already, in one request; `undefined` if GitHub does not answer that. */
  relatedWork(issue: number): Promise<RelatedWork | undefined>;
  readonly checks: RepositoryChecks;
}

/** What the installation gives. */
type Given = 'gitUrl' | 'gitToken' | 'ownersFile' | 'lacking';

/** GitHub signs the commits of Apps alone. */
export type UnsignedRepository = Omit<GitHubRepository, 'verifiedCommits'>;

export interface GitHubRepositoryOptions extends Pick<GitHubRepository, Given> {
  readonly gate: Gate;
  readonly isAttachment: IsAttachment;
}

type PullRequests =
  | 'pullRequest'
  | 'mergesItself'
  | 'openPullRequest'
  | 'updatePullRequest'
  | 'changeBase'
  | 'submitReview'
  | 'whyNotToPush'
  | 'markReady'
  | 'mergeability'
  | 'requestReview';

const pullRequestsWith = (gate: Gate): Pick<GitHubRepository, PullRequests> => ({
  pullRequest: (number) => findPullRequest(gate, number),
  mergesItself: (number) => mergesItself(gate, number),
  openPullRequest: (request) => openPullRequestOnce(gate, request),
  updatePullRequest: (request) => updatePullRequest(gate, request),
  changeBase: (change) => changeBase(gate, change),
  submitReview: (request) => postReview(gate, request),
  whyNotToPush: (pullRequest) => pushConcern(gate, pullRequest),
  markReady: (number) => markReady(gate, number),
  mergeability: (number) => mergeability(gate, number),
  requestReview: (number, logins) => requestReview(gate, number, logins),
});

export function createGitHubRepository({
  gate,
  isAttachment,
  ...given
}: GitHubRepositoryOptions): UnsignedRepository {
  return {
    ...given,
    permissionOf: (login, id) => permissionOf(gate, login, id),
    isPublic: () => isPublic(gate, given.gitUrl),
    readFile: (path, isClosed) => readRepositoryFile(gate.octokit, gate.repository, path, isClosed),
    lineCommentsOf: (pullRequest, reviewId) => lineCommentsOf(gate, pullRequest, reviewId),
    reviewOf: (pullRequest, reviewId) => reviewOf(gate, pullRequest, reviewId),
    image: (address, signal) => fetchImage(address, { isAttachment, signal }),
    comment: (request) => publishComment(gate, request),
    replyToThread: (request) => publishThreadReply(gate, request),
    resolveThread: (thread) => resolveThread(gate, thread),
    react: (request) => addReaction(gate, request),
    unreact: (reaction) => unreact(gate, reaction),
    thumbsUp: (comment) => thumbsUp(gate, comment),
    addLabel: (issue, name) => addLabel(gate, issue, name),
    removeLabel: (issue, name) => removeLabel(gate, issue, name),
    waitingIssues: (label, page) => waitingIssues(gate, label, page),
    triggerOf: (issue, wanted) => triggerOf(gate, issue, wanted),
    shown: (place, source, now) => shownText(gate, place, source, now),
    appSlug: async () => (await gate.identity()).slug,
    issueState: (number) => issueState(gate, number),
    commentsAsOf: (number, at) => commentsAsOf(gate, number, at),
    ...pullRequestsWith(gate),
    issue: (number, page) => readIssue(gate, number, page),
    issues: (query) => listIssues(gate, query),
    commits: (query) => listCommits(gate, query),
    commitFiles: (commit) => commitFiles(gate, commit),
    changeSince: (base, head) => changeSince(gate, base, head),
    branches: () => listBranches(gate),
    hasBranch: (name) => hasBranch(gate, name),
    checkRun: (request) => publishCheckRun(gate, request),
    relatedWork: (issue) => relatedWork(gate, issue),
    checks: createRepositoryChecks(gate),
  };
}

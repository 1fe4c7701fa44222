import type { LineComment } from '../contracts/shown-text.ts';
import type { IsAttachment } from './images/attachment-hosts.ts';
import { fetchImage, type FetchedImage } from './images/fetch-image.ts';
import { publishComment, type CommentRequest, type Published } from './comments.ts';
import { ifFound } from './errors.ts';
import type { Gate } from './gate.ts';
import { ownerAndRepo } from './octokit.ts';
import { readFile } from './repository-files.ts';
import {
  commitFiles,
  filesSince,
  hasBranch,
  listBranches,
  listCommits,
  type LogQuery,
} from './history.ts';
import type { FileDiff } from '../contracts/git.ts';
import type {
  LoggedCommit,
  IssueQuery,
  IssueSummary,
  IssueThread,
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
import type { PullRequestText } from './pull-request-body.ts';
import {
  markReady,
  openPullRequest,
  requestReview,
  updatePullRequest,
  type PullRequest,
  type PullRequestRequest,
} from './pull-requests.ts';
import { shownOf, shownText, WITH_HTML, type RenderedText, type TextPlace } from './shown-texts.ts';
import type { Shown } from './text/index.ts';
import { react, thumbsUp, unreact, type ReactionRequest, type ThumbsUp } from './reactions.ts';
import { labelling, waitingIssues, type Labelling, type WaitingIssue } from './waiting-issues.ts';

/** A comment of a review on a line. */
export interface ShownLineComment extends Shown, Pick<LineComment, 'path' | 'line'> {}

type PermissionLevel = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

/** One repository as the App reads and writes it. Every method may throw TryLater. */
export interface GitHubRepository {
  /** Where git finds it; holds no credentials. */
  readonly gitUrl: string;
  /** The password for one git call, with any user name. `invalidToken` is one that the server did not accept. */
  gitToken(access: 'read' | 'write', invalidToken?: string): Promise<string>;
  /** What the person may do here; `none` for a login that does not exist. */
  permissionOf(login: string): Promise<PermissionLevel>;
  /** The text of a file on the default branch, 64 KB at most; `undefined` without one. */
  readFile(path: string): Promise<string | undefined>;
  /**
   * The same from the owner's `.github` repository, at most a few minutes old; `undefined` also if there is no
   * such repository, or the App is not installed on it.
   */
  ownersFile(path: string): Promise<string | undefined>;
  /** What a review says on single lines, oldest first. */
  lineCommentsOf(pullRequest: number, reviewId: number): Promise<readonly ShownLineComment[]>;
  /** An image of a text, by its address as GitHub rendered it just now. Never throws. */
  image(address: string, signal: AbortSignal): Promise<FetchedImage>;
  comment(request: CommentRequest): Promise<Published>;
  /** The id of the reaction. */
  react(request: ReactionRequest): Promise<number>;
  unreact(
    reaction: Pick<ReactionRequest, 'on' | 'id'> & { readonly reaction: number },
  ): Promise<void>;
  /** @throws {NotFound} if the comment no longer exists */
  thumbsUp(comment: number): Promise<readonly ThumbsUp[]>;
  addLabel(issue: number, name: string): Promise<void>;
  removeLabel(issue: number, name: string): Promise<void>;
  /** Open issues with the label, oldest first. */
  waitingIssues(
    label: string,
    page: number,
  ): Promise<{ readonly issues: readonly WaitingIssue[]; readonly hasMore: boolean }>;
  /** Who put the label on an issue; `undefined` if GitHub does not say. */
  labelling(issue: number, label: string): Promise<Labelling | undefined>;
  /** What people saw of a text when its source was this. `now`: the text, if it was fetched just now. */
  shown(place: TextPlace, source: string, now?: RenderedText): Promise<Shown>;
  /** What people mention the App by. */
  appSlug(): Promise<string>;
  /** @throws {NotFound} */
  issueState(number: number): Promise<IssueState>;
  /** What people had written by a time, and not edited since; the newest, oldest first. */
  commentsAsOf(number: number, at: string): Promise<readonly PersonsComment[]>;
  openPullRequest(request: PullRequestRequest): Promise<PullRequest>;
  updatePullRequest(request: PullRequestText & { readonly number: number }): Promise<void>;
  markReady(number: number): Promise<void>;
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
  /** What `head` changed since it left `base`. */
  filesSince(base: string, head: string): Promise<readonly FileDiff[]>;
  /** The first hundred. */
  branches(): Promise<{ readonly names: readonly string[]; readonly hasMore: boolean }>;
  hasBranch(name: string): Promise<boolean>;
}

export interface GitHubRepositoryOptions {
  readonly gate: Gate;
  readonly gitUrl: string;
  readonly gitToken: GitHubRepository['gitToken'];
  readonly ownersFile: GitHubRepository['ownersFile'];
  readonly isAttachment: IsAttachment;
}

export function createGitHubRepository({
  gate,
  gitUrl,
  gitToken,
  ownersFile,
  isAttachment,
}: GitHubRepositoryOptions): GitHubRepository {
  return {
    gitUrl,
    gitToken,
    permissionOf: (login) => permissionOf(gate, login),
    readFile: (path) => readFile(gate.octokit, gate.repository, path),
    ownersFile,
    lineCommentsOf: (pullRequest, reviewId) => lineCommentsOf(gate, pullRequest, reviewId),
    image: (address, signal) => fetchImage(address, { isAttachment, signal }),
    comment: (request) => publishComment(gate, request),
    react: (request) => react(gate, request),
    unreact: (reaction) => unreact(gate, reaction),
    thumbsUp: (comment) => thumbsUp(gate, comment),
    addLabel: (issue, name) => addLabel(gate, issue, name),
    removeLabel: (issue, name) => removeLabel(gate, issue, name),
    waitingIssues: (label, page) => waitingIssues(gate, label, page),
    labelling: (issue, label) => labelling(gate, issue, label),
    shown: (place, source, now) => shownText(gate, place, source, now),
    appSlug: async () => (await gate.identity()).slug,
    issueState: (number) => issueState(gate, number),
    commentsAsOf: (number, at) => commentsAsOf(gate, number, at),
    openPullRequest: (request) => openPullRequest(gate, request),
    updatePullRequest: (request) => updatePullRequest(gate, request),
    markReady: (number) => markReady(gate, number),
    requestReview: (number, logins) => requestReview(gate, number, logins),
    issue: (number, page) => readIssue(gate, number, page),
    issues: (query) => listIssues(gate, query),
    commits: (query) => listCommits(gate, query),
    commitFiles: (commit) => commitFiles(gate, commit),
    filesSince: (base, head) => filesSince(gate, base, head),
    branches: () => listBranches(gate),
    hasBranch: (name) => hasBranch(gate, name),
  };
}

const LEVELS: readonly PermissionLevel[] = ['none', 'read', 'triage', 'write', 'maintain', 'admin'];
const levelOf = (name: string | undefined): PermissionLevel | undefined =>
  LEVELS.find((level) => level === name);

/** `role_name` is the finer one, but may be a role of the organisation's own making. */
async function permissionOf(gate: Gate, username: string): Promise<PermissionLevel> {
  const at = { ...ownerAndRepo(gate), username };
  const found = await ifFound(gate.octokit.rest.repos.getCollaboratorPermissionLevel(at));
  return levelOf(found?.data.role_name) ?? levelOf(found?.data.permission) ?? 'none';
}

/** Comments of the newest pages; the list of one review would leave out the lines. */
const REVIEW_PAGES = 10;

async function lineCommentsOf(
  gate: Gate,
  pullRequest: number,
  reviewId: number,
): Promise<readonly ShownLineComment[]> {
  const found = [];
  for (let page = 1; page <= REVIEW_PAGES; page += 1) {
    const { data } = await gate.octokit.rest.pulls.listReviewComments({
      ...ownerAndRepo(gate),
      pull_number: pullRequest,
      sort: 'created',
      direction: 'desc',
      per_page: 100,
      page,
      headers: WITH_HTML,
    });
    found.push(...data.filter((comment) => comment.pull_request_review_id === reviewId));
    if (data.length < 100) break;
  }
  return Promise.all(
    found
      .toSorted((one, other) => one.id - other.id)
      .map(async ({ path, line, original_line: before, ...text }) => {
        return { path, line: line ?? before ?? null, ...(await shownOf(gate, text)) };
      }),
  );
}

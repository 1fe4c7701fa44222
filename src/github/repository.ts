import type { LineComment } from '../session/entry.ts';
import { TellPerson } from '../lib/errors.ts';
import { publishComment, type CommentRequest, type PublishedComment } from './comments.ts';
import { Gone } from './errors.ts';
import type { Gate } from './gate.ts';
import {
  commitFiles,
  filesSince,
  hasBranch,
  listBranches,
  listCommits,
  type ChangedFile,
  type LoggedCommit,
  type LogQuery,
} from './history.ts';
import {
  listIssues,
  readIssue,
  type IssueQuery,
  type IssueSummary,
  type IssueThread,
} from './issues.ts';
import {
  markReady,
  openPullRequest,
  updatePullRequest,
  type PullRequest,
  type PullRequestRequest,
  type PullRequestText,
} from './pull-requests.ts';
import { react, type ReactionRequest } from './reactions.ts';
import { requestReview, type RequestedReview } from './review-requests.ts';

type PermissionLevel = 'none' | 'read' | 'triage' | 'write' | 'maintain' | 'admin';

/** One repository as the App reads and writes it. Every method may throw TryLater. */
export interface GitHubRepository {
  /** Where git finds it; holds no credentials. */
  readonly gitUrl: string;
  /** The password for one git call, with any user name. */
  gitToken(access: 'read' | 'write'): Promise<string>;
  /** What the person may do here; `none` for a login that does not exist. */
  permissionOf(login: string): Promise<PermissionLevel>;
  /** The text of a file on the default branch, 64 KB at most; `undefined` without one. */
  readFile(path: string): Promise<string | undefined>;
  defaultBranch(): Promise<string>;
  /** What a review says on single lines, oldest first. */
  lineCommentsOf(pullRequest: number, reviewId: number): Promise<readonly LineComment[]>;
  comment(request: CommentRequest): Promise<PublishedComment>;
  react(request: ReactionRequest): Promise<void>;
  openPullRequest(request: PullRequestRequest): Promise<PullRequest>;
  updatePullRequest(request: PullRequestText & { readonly number: number }): Promise<void>;
  markReady(number: number): Promise<void>;
  /** Asks people, by login; whoever cannot be asked is named. Safe to repeat. */
  requestReview(number: number, logins: readonly string[]): Promise<RequestedReview>;
  /** Page 1 of the comments has the newest. @throws {Gone} */
  issue(number: number, page: number): Promise<IssueThread>;
  issues(query: IssueQuery): Promise<{
    readonly issues: readonly IssueSummary[];
    readonly hasMore: boolean;
  }>;
  commits(query: LogQuery): Promise<readonly LoggedCommit[]>;
  /** `undefined` where there is no such commit. */
  commitFiles(commit: string): Promise<readonly ChangedFile[] | undefined>;
  /** What `head` changed since it left `base`. */
  filesSince(base: string, head: string): Promise<readonly ChangedFile[]>;
  /** The first hundred. */
  branches(): Promise<{ readonly names: readonly string[]; readonly hasMore: boolean }>;
  hasBranch(name: string): Promise<boolean>;
}

export interface GitHubRepositoryOptions {
  readonly gate: Gate;
  readonly gitUrl: string;
  readonly gitToken: (access: 'read' | 'write') => Promise<string>;
}

export function createGitHubRepository({
  gate,
  gitUrl,
  gitToken,
}: GitHubRepositoryOptions): GitHubRepository {
  return {
    gitUrl,
    gitToken,
    permissionOf: (login) => permissionOf(gate, login),
    readFile: (path) => readFile(gate, path),
    defaultBranch: async () => (await gate.octokit.rest.repos.get(where(gate))).data.default_branch,
    lineCommentsOf: (pullRequest, reviewId) => lineCommentsOf(gate, pullRequest, reviewId),
    comment: (request) => publishComment(gate, request),
    react: (request) => react(gate, request),
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
  try {
    const { data } = await gate.octokit.rest.repos.getCollaboratorPermissionLevel({
      ...where(gate),
      username,
    });
    return levelOf(data.role_name) ?? levelOf(data.permission) ?? 'none';
  } catch (error) {
    if (error instanceof Gone) return 'none';
    throw error;
  }
}

const LONGEST_FILE = 65_536;

async function readFile(gate: Gate, path: string): Promise<string | undefined> {
  try {
    const { data } = await gate.octokit.rest.repos.getContent({
      ...where(gate),
      path,
    });
    return textOf(data, path);
  } catch (error) {
    if (error instanceof Gone) return undefined;
    throw error;
  }
}

function textOf(data: object, path: string): string {
  const isFile = 'content' in data && typeof data.content === 'string';
  if (!isFile) throw new TellPerson(`\`${path}\` is no file: make it one, or remove it.`);
  const bytes = Buffer.from(String(data.content), 'base64');
  const size = 'size' in data ? Number(data.size) : bytes.length;
  if (size > LONGEST_FILE) throw new TellPerson(`\`${path}\` is longer than 64 KB: shorten it.`);
  return bytes.toString('utf8');
}

/** Comments of the newest pages; the list of one review would leave out the lines. */
const REVIEW_PAGES = 10;

async function lineCommentsOf(
  gate: Gate,
  pullRequest: number,
  reviewId: number,
): Promise<readonly LineComment[]> {
  const found = [];
  for (let page = 1; page <= REVIEW_PAGES; page += 1) {
    const { data } = await gate.octokit.rest.pulls.listReviewComments({
      ...where(gate),
      pull_number: pullRequest,
      sort: 'created',
      direction: 'desc',
      per_page: 100,
      page,
    });
    found.push(...data.filter((comment) => comment.pull_request_review_id === reviewId));
    if (data.length < 100) break;
  }
  return found
    .toSorted((one, other) => one.id - other.id)
    .map(({ path, line, original_line: before, body }) => ({
      path,
      line: line ?? before ?? null,
      body,
    }));
}

const where = ({ repository }: Gate) => ({ owner: repository.owner, repo: repository.name });

// The state of the local GitHub besides git: people, issues, comments, reviews, labels.
// Commits, branches, diffs and mergeability are never stored here: they are read from git.
import type { Checks } from './checks/state.ts';
import type { Side } from './git/patch.ts';
import type { Ruleset } from './rules/ruleset.ts';
import type { RepositoryGit } from './git/repository.ts';
import type { User } from './user.ts';

export type { User } from './user.ts';

export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read';

export interface Reaction {
  readonly id: number;
  readonly content: ReactionContent;
  readonly user: User;
  readonly createdAt: string;
}

export const REACTIONS = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
] as const;
export type ReactionContent = (typeof REACTIONS)[number];

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

/** GitHub merges it as soon as its rules allow that. */
export interface AutoMerge {
  readonly by: User;
  readonly method: 'merge' | 'squash';
  /** In a merge queue, which has a method of its own. */
  readonly isQueued: boolean;
}

export interface Pull {
  readonly id: number;
  /** Branch names. Their heads are read from git. */
  readonly head: string;
  /** The fork that the head is in; undefined: the same repository. */
  readonly headRepositoryId: number | undefined;
  /** People with write access to the base repository may push to the head in the fork. */
  maintainerCanModify: boolean;
  base: string;
  draft: boolean;
  merged: { readonly at: string; readonly by: User; readonly commitSha: string } | undefined;
  requestedReviewers: User[];
  autoMerge?: AutoMerge | undefined;
}

/** An event in the history of an issue. */
export interface IssueEvent {
  readonly id: number;
  readonly event:
    | 'labeled'
    | 'unlabeled'
    | 'assigned'
    | 'unassigned'
    | 'renamed'
    | 'parent_issue_added'
    | 'closed'
    | 'reopened'
    | 'review_requested'
    | 'review_request_removed';
  readonly actor: User;
  readonly createdAt: string;
  readonly label?: Label;
  readonly assignee?: User;
  readonly reviewer?: User;
}

/** What an organization calls an issue: a bug, or a task (rule `issue-types`). */
export interface IssueType {
  readonly id: number;
  readonly name: string;
}

/** What an organization's own field says of an issue. */
export interface IssueField {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

/** An issue, or a pull request if `pull` is set: they share their numbers (rule `shared-numbers`). */
export interface Issue {
  readonly id: number;
  readonly number: number;
  readonly author: User;
  readonly createdAt: string;
  readonly reactions: Reaction[];
  readonly events: IssueEvent[];
  /** The last edit of its text. */
  edited: { readonly at: string; readonly by: User } | undefined;
  readonly pull: Pull | undefined;
  title: string;
  body: string | null;
  state: 'open' | 'closed';
  stateReason: 'completed' | 'not_planned' | 'reopened' | null;
  labels: Label[];
  assignees: User[];
  locked: boolean;
  updatedAt: string;
  closedAt: string | null;
  closedBy: User | undefined;
  type?: IssueType;
  fields?: IssueField[];
  /** The ids of its sub-issues, in their order. They may be in other repositories of its owner. */
  subIssues?: number[];
}

export type PullRequest = Issue & { readonly pull: Pull };

export interface Comment {
  readonly id: number;
  readonly issueNumber: number;
  readonly author: User;
  readonly createdAt: string;
  readonly reactions: Reaction[];
  /** A person wrote it through the App. */
  readonly isViaApp?: boolean;
  body: string;
  updatedAt: string;
  /** Who changed the text last. */
  editor?: User;
}

export type ReviewState = 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED';

export interface Review {
  readonly id: number;
  readonly pullNumber: number;
  readonly author: User;
  readonly commitSha: string;
  readonly submittedAt: string;
  readonly reactions: Reaction[];
  state: ReviewState;
  body: string;
}

/** A conversation about lines of a file. Where it is today is computed from git. */
export interface ReviewThread {
  readonly id: number;
  readonly pullNumber: number;
  readonly path: string;
  readonly side: Side;
  /** The last line that it is about, as it began; undefined: the whole file. */
  readonly line: number | undefined;
  /** The first line, if there are several. */
  readonly startLine: number | undefined;
  readonly startSide: Side | undefined;
  /** The head of the pull request when it began, and the merge base with the base branch. */
  readonly commitSha: string;
  readonly baseSha: string;
  resolvedBy: User | undefined;
}

export interface ReviewComment {
  readonly id: number;
  readonly reviewId: number;
  readonly threadId: number;
  readonly pullNumber: number;
  readonly author: User;
  readonly createdAt: string;
  readonly reactions: Reaction[];
  /** The first comment of the thread, if this is a reply. */
  readonly inReplyTo: number | undefined;
  body: string;
  updatedAt: string;
}

export interface MergeSettings {
  readonly allow_squash_merge: boolean;
  readonly allow_merge_commit: boolean;
  readonly allow_rebase_merge: boolean;
  readonly allow_auto_merge: boolean;
  readonly allow_update_branch: boolean;
  readonly delete_branch_on_merge: boolean;
}

export interface Repository {
  readonly id: number;
  owner: User;
  name: string;
  fullName: string;
  /** The repository that this is a fork of. */
  readonly parentId: number | undefined;
  defaultBranch: string;
  readonly createdAt: string;
  /** Set if the App is installed here. */
  installationId: number | undefined;
  /** Roles by login. */
  readonly collaborators: Map<string, Role>;
  readonly labels: Label[];
  /** Shared by issues and pull requests. Numbers of transferred issues are not reused. */
  nextNumber: number;
  /** Issues and pull requests, by number. */
  readonly issues: Issue[];
  readonly comments: Comment[];
  readonly reviews: Review[];
  readonly reviewThreads: ReviewThread[];
  readonly reviewComments: ReviewComment[];
  /** Checks, statuses and workflow runs of its commits. */
  readonly checks: Checks;
  readonly rulesets: Ruleset[];
  /** Its own webhooks, beside that of the App. Nothing is delivered to them. */
  readonly hooks: { readonly id: number; readonly url: string }[];
  readonly git: RepositoryGit;
  pushedAt: string;
  archived: boolean;
  /** Those of its settings of merges that are not the default. */
  mergeSettings?: Partial<MergeSettings>;
}

export const isPull = (issue: Issue): issue is PullRequest => issue.pull !== undefined;

/** A time in GitHub's format: ISO 8601 in UTC, whole seconds. */
export function timestamp(at: Date = new Date()): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** An id for GraphQL; `parseNodeId` is the inverse. */
export function nodeId(kind: string, id: number): string {
  return `${kind}_${Buffer.from(String(id)).toString('base64url')}`;
}

export function parseNodeId(text: string): { kind: string; id: number } | undefined {
  const match = /^([A-Z]+)_([\w-]+)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const id = Number(Buffer.from(match[2], 'base64url').toString());
  return Number.isInteger(id) ? { kind: match[1], id } : undefined;
}

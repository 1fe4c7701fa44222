// The repository on GitHub.
import type { Effect, GivenReview } from './effect.ts';
import type { FileDiff } from './git.ts';

export interface LoggedCommit {
  readonly sha: string;
  readonly author: string;
  /** ISO time. */
  readonly at: string;
  readonly message: string;
}

/** What a branch has since it left another. */
export interface BranchChange {
  /** Oldest first. */
  readonly commits: readonly LoggedCommit[];
  readonly files: readonly FileDiff[];
}

/** The repository's history, as it was pushed. */
interface History {
  /** The commits of the session's branch, newest first; only those that changed `path`, if given. */
  log(query: { readonly path?: string; readonly limit: number }): Promise<readonly LoggedCommit[]>;
  /** What a commit changed. @throws {TellModel} if it does not exist */
  commitDiff(commit: string): Promise<readonly FileDiff[]>;
  /** What the session's branch has since it left the base branch. `head`: its head, if it was just pushed. */
  branchChange(head?: string): Promise<BranchChange>;
  /** The names of the first so many branches, and whether there are more. */
  branches(): Promise<{ readonly names: readonly string[]; readonly hasMore: boolean }>;
  hasBranch(name: string): Promise<boolean>;
}

export interface OpenedPullRequest {
  readonly number: number;
  readonly url: string;
}

export interface RequestedReview {
  readonly asked: readonly string[];
  /** Those whom GitHub does not let us ask, such as people without access. */
  readonly denied: readonly string[];
}

interface PullRequests {
  /** Opens the session's pull request, or finds it if it is already open. Safe to repeat. */
  openPullRequest(request: {
    readonly title: string;
    readonly body: string;
    /** What the same call did before, which the journal does not have yet. */
    readonly done?: readonly Effect[];
  }): Promise<OpenedPullRequest>;
  /** Takes the pull request out of draft. Safe to repeat. */
  markReady(number: number): Promise<void>;
  /** Asks people to review it. Answers who was asked, and who cannot be. Safe to repeat. */
  requestReview(number: number, logins: readonly string[]): Promise<RequestedReview>;
  /** What the review of a pull request of someone else is about. */
  changeToReview(): Promise<ChangeToReview>;
  /**
   * Reviews a pull request of someone else at the session's head, with the verdict as far as the settings allow it, and resolves the
   * threads of its own that are settled. Looking again, it posts nothing if there is nothing to say. Safe to repeat with the same `at`.
   * @throws {TellModel} if GitHub does not accept it
   */
  submitReview(request: {
    readonly number: number;
    readonly summary: string;
    readonly verdict: VerdictOfReview;
    readonly remarks: readonly ReviewRemark[];
    /** Their numbers. */
    readonly settled: readonly number[];
    readonly at: Date;
  }): Promise<SubmittedReview>;
}

/** In the words of GitHub. */
export type VerdictOfReview = 'comment' | 'request_changes' | 'approve';

interface SubmittedReview extends GivenReview {
  /** Missing: there was nothing to say, and `url` is that of the review before. */
  readonly isPosted?: true;
}

export interface ChangeToReview {
  readonly files: readonly FileDiff[];
  /** Files that the settings leave out. */
  readonly leftOut: readonly string[];
  /** What the settings allow a review to be, from `comment` on; missing: only that. */
  readonly may?: VerdictOfReview;
  /** Looking again: which of its lines are new since the last time. */
  readonly news?: NewLines;
  /** That it began, in their order; without those of other reviewers. */
  readonly threads: readonly OwnThread[];
}

/** The numbers of changed lines, by path. */
export type NewLines = ReadonlyMap<string, Readonly<Record<'old' | 'new', ReadonlySet<number>>>>;

/** A thread on lines that a review of this App began. */
export interface OwnThread {
  /** From 1. */
  readonly number: number;
  /** The id of its first comment. */
  readonly root: number;
  readonly path: string;
  /** In the head; `null` if it is gone. */
  readonly line: number | null;
  readonly body: string;
  readonly isResolved: boolean;
  readonly replies: readonly { readonly author: string; readonly body: string }[];
}

/** A comment of a review on a line of the diff, or on several. */
export interface ReviewRemark {
  readonly path: string;
  readonly line: number;
  /** The first of several. */
  readonly startLine?: number;
  readonly side: 'old' | 'new';
  readonly body: string;
}

/** A person's text. */
export interface PersonsText {
  /** Login. */
  readonly author: string;
  /** `writer` may write to this repository; `app` is this App, in the words of a model. */
  readonly standing: 'writer' | 'app' | 'other';
  /** ISO time. */
  readonly at: string;
  readonly text: string;
}

/** An issue or a pull request, in short. */
export interface IssueSummary {
  readonly number: number;
  readonly isPullRequest: boolean;
  readonly state: string;
  readonly title: string;
  readonly author: string;
  readonly labels: readonly string[];
  readonly comments: number;
  /** ISO time. */
  readonly updatedAt: string;
}

/** An issue or pull request with a page of its comments. */
export interface IssueThread<Text = PersonsText> extends IssueSummary {
  readonly opening: Text;
  /** Oldest first; page 1 is the newest. */
  readonly page: readonly Text[];
  readonly pages: number;
}

export interface IssueQuery {
  readonly state: 'open' | 'closed' | 'all';
  readonly labels: readonly string[];
  readonly page: number;
}

interface Issues {
  /** An issue or pull request of this repository. @throws {TellModel} if it does not exist */
  issue(number: number, page: number): Promise<IssueThread>;
  /** Issues, without pull requests, the one changed last first. */
  issues(
    query: IssueQuery,
  ): Promise<{ readonly issues: readonly IssueSummary[]; readonly hasMore: boolean }>;
  /**
   * Comments on an issue or pull request of this repository. Safe to repeat with the same `at`.
   * @throws {TellModel} if it does not exist, or its conversation is locked
   */
  comment(request: {
    readonly issue: number;
    readonly body: string;
    readonly at: Date;
  }): Promise<{ readonly url: string }>;
}

export interface Forge extends PullRequests, Issues, History {}

import type { LeftStep } from '../../contracts/effect.ts';
import type { AdoptedPullRequest } from '../../contracts/pull-request.ts';
import type { Folder, HandWork, Intent, RepositoryRef } from '../../contracts/intent.ts';
import type { SubIssueStep } from '../../contracts/sub-issue-work.ts';
import type { PullRequestBelow, NotBased } from '../merge-entry.ts';
import type { ShownIssue } from '../../contracts/shown-text.ts';

/** The issue and its pull request, as GitHub has them; or the pull request of someone else. */
export interface Thread {
  readonly installation: number;
  readonly repository: RepositoryRef;
  /** The number of the issue, or of the pull request of someone else. */
  readonly issue: number;
  readonly title: string;
  /** The label that started the work. */
  readonly label: string;
  /** The type of the issue that did. */
  readonly type: string | undefined;
  /** The account that the issue was assigned to, if that started the work. */
  readonly assignee: string | undefined;
  readonly openedAt: string;
  /** The issue as it was when work was last requested. */
  readonly issueText: ShownIssue | undefined;
  /** The issue after which this one was started automatically. */
  readonly previousIssue: number | undefined;
  /** The issue as whose next sub-issue this one was started. */
  readonly parentIssue: number | undefined;
  /** Its sub-issues are worked on instead of it. */
  readonly subIssues: SubIssueWork | undefined;
  /** This session was finished, and another issue was started after it. */
  readonly nextIssueStarted: boolean;
  readonly issueClosed: boolean;
  /** What is known of when the issue was closed and open. */
  readonly issueNews: StateNews;
  /** The same of the pull request. */
  readonly pullRequestNews: StateNews;
  /** When the issue or its pull request was last closed, by our journal; empty before any. */
  readonly closedAt: string;
  /** The one that this session opened. */
  readonly pullRequest: PullRequest | undefined;
  /** The one of someone else that this session works on. There is no issue then. */
  readonly adopted: AdoptedPullRequestInSession | undefined;
  /** Where the work is if it is not on GitHub. There is neither an issue nor a pull request then. */
  readonly folder: Folder | undefined;
  /** If a person works on the issue by hand. */
  readonly byHand: HandWork | undefined;
  /** The issues and pull requests that the work depends on, as people named them, until they are looked up. */
  readonly dependsOn: readonly number[];
  /** The pull request of ours that this work began at. */
  readonly base: StackBase | undefined;
  /** Why there is none, if people named some. */
  readonly notBased: NotBased | undefined;
  /** Pull requests of this session that were closed; the next one gets a new branch. */
  readonly closedPullRequests: number;
}

/** A session, as far as what GitHub has of it matters. */
export interface WithThread {
  readonly thread: Thread;
}

export interface SubIssueWork {
  /** When someone last requested it: GitHub's time, ISO. */
  readonly requestedAt: string;
  readonly steps: readonly SubIssueStep[];
  /** The numbers of those that it started. */
  readonly started: readonly number[];
  readonly isOver: boolean;
  readonly onTop: boolean;
}

/** GitHub's times of the latest news; empty before any. */
export interface StateNews {
  readonly closedAt: string;
  /** When it was reopened. */
  readonly openAt: string;
  /** When people last wrote on it while it was open, or asked for something and it was found open. */
  readonly seenOpenAt: string;
  /** The latest told what was known already. */
  readonly isRepeated: boolean;
}

export const NO_NEWS: StateNews = { closedAt: '', openAt: '', seenOpenAt: '', isRepeated: false };

export interface StackBase extends PullRequestBelow {
  /** `left`: people gave ours another base. */
  readonly state: PullRequestState | 'left';
  /** Where ours goes: to its branch, until it is merged or left. */
  readonly baseBranch: string;
}

interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** What the agent says about it; the body shows this apart from what was observed. */
  readonly description: string;
  /** Logins of the people who were asked to review it. */
  readonly reviewers: readonly string[];
  /** What GitHub let the App not do to it, so that people do it. */
  readonly left: readonly LeftStep[];
  readonly state: PullRequestState;
}

type PullRequestState = 'open' | 'merged' | 'closed';

export interface AdoptedPullRequestInSession extends AdoptedPullRequest {
  readonly state: PullRequestState;
  /** Whether people let us push to its branch; they are asked only if there is a reason. */
  readonly pushing: 'undecided' | 'allowed' | 'not_allowed';
}

/** Of the pull request that it opened, or works on; `undefined` if there is none. */
export const pullRequestState = ({ pullRequest, adopted }: Thread): PullRequestState | undefined =>
  (adopted ?? pullRequest)?.state;

/** It is a review of another pull request. */
export const isOnOther = (
  { adopted, pullRequest }: Thread,
  intent: Extract<Intent, { kind: 'comment' | 'review' }>,
): boolean => intent.kind === 'review' && intent.pullRequest !== (adopted ?? pullRequest)?.number;

/** The thread once work is requested on this pull request of someone else. */
export const withAdopted = (thread: Thread, pullRequest: AdoptedPullRequest | undefined): Thread =>
  pullRequest === undefined
    ? thread
    : {
        ...thread,
        title: pullRequest.title,
        adopted: { ...pullRequest, state: 'open', pushing: pushing(thread, pullRequest) },
      };

/** A yes is for this branch. Anything else may be asked again. */
const pushing = (
  { adopted: before }: Thread,
  { branch }: AdoptedPullRequest,
): AdoptedPullRequestInSession['pushing'] =>
  before?.pushing === 'allowed' && before.branch === branch ? 'allowed' : 'undecided';

/** The thread with its pull request, or that of someone else, in this state. */
export const inState = (thread: Thread, state: PullRequestState): Thread => ({
  ...thread,
  pullRequest: thread.pullRequest && { ...thread.pullRequest, state },
  adopted: thread.adopted && { ...thread.adopted, state },
});

/** The number of the pull request that people mean: the session's own, or the one that its thread is. */
export const pullRequestOf = ({ thread }: { readonly thread: Thread }): number =>
  (thread.adopted ?? thread.pullRequest)?.number ?? thread.issue;

/** Whether nothing is left to do for it. */
export const isSubIssueOver = ({ stands }: SubIssueStep): boolean =>
  stands === 'done' || stands === 'closed';

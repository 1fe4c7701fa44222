import type { BorrowedDirectories } from '../../contracts/shell.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Session } from '../../session/session.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';
import type { SessionStore } from '../../store/session-store.ts';

/** What a run needs of the repository on GitHub. A folder on this machine can stand in for it. */
export type RunRepository = Pick<
  GitHubRepository,
  | 'gitUrl'
  | 'gitToken'
  | 'lacking'
  | 'permissionOf'
  | 'readFile'
  | 'ownersFile'
  | 'issueState'
  | 'triggerOf'
  | 'pullRequest'
  | 'relatedWork'
  | 'whyNotToPush'
  | 'mergeability'
  | 'openPullRequest'
  | 'changeBase'
  | 'markReady'
  | 'requestReview'
  | 'submitReview'
  | 'issue'
  | 'issues'
  | 'comment'
  | 'commits'
  | 'commitFiles'
  | 'changeSince'
  | 'branches'
  | 'hasBranch'
> & {
  /** Missing: commits are pushed. */
  readonly verifiedCommits?: GitHubRepository['verifiedCommits'];
  /** What commands see of a folder besides its commits. */
  readonly borrowed?: BorrowedDirectories | undefined;
  /** Missing: it is not. */
  readonly isPublic?: GitHubRepository['isPublic'];
};

/** What a run needs of the service. */
export type RunService = Pick<
  Service,
  | 'operator'
  | 'allowedBots'
  | 'openModel'
  | 'embedder'
  | 'author'
  | 'writeBudget'
  | 'git'
  | 'threads'
  | 'shells'
  | 'servers'
  | 'pause'
  | 'leaving'
  | 'pageUrl'
  | 'redact'
  | 'hide'
  | 'log'
> & { readonly store: SessionStore };

/** What belongs to one session while it is working, and what works on it. */
export interface RunScope {
  readonly service: RunService;
  readonly tracker: JournalTracker;
  readonly github: RunRepository;
  /** The same repository for work that continues after `signal` is raised: its waits for GitHub's limits end with `until`. */
  readonly repositoryUntil?: ((until: AbortSignal) => RunRepository) | undefined;
  /** Admits or rejects the intents that have no verdict yet. */
  readonly admit: () => Promise<unknown>;
  /** Raised with a `Termination` when the work is over, and when the service stops. */
  readonly signal: AbortSignal;
}

/** The same for a session of the service. */
export interface SessionScope extends RunScope {
  readonly service: Service;
  readonly github: GitHubRepository;
}

/** What planning a run needs of the service and the session. */
export interface PlanScope {
  readonly tracker: Pick<JournalTracker, 'id' | 'session' | 'entries'>;
  readonly github: Pick<
    GitHubRepository,
    | 'readFile'
    | 'ownersFile'
    | 'lacking'
    | 'issueState'
    | 'triggerOf'
    | 'permissionOf'
    | 'pullRequest'
    | 'gitUrl'
    | 'gitToken'
  >;
  readonly service: Pick<
    Service,
    'operator' | 'allowedBots' | 'openModel' | 'shells' | 'servers' | 'redact'
  > & {
    readonly store: Pick<SessionStore, 'changes'>;
  };
  readonly signal: AbortSignal;
}

/** Whether a person has paused the session, or the operator the service. */
export const isPaused = (session: Session, pause: Pick<Service['pause'], 'current'>): boolean =>
  session.waiting.pausedBy !== undefined || pause.current !== undefined;

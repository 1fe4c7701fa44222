import type { GitHubRepository } from '../../github/repository.ts';
import type { Session } from '../../session/session.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';

/** What belongs to one session while it is working, and the service. */
export interface RunScope {
  readonly service: Service;
  readonly tracker: JournalTracker;
  readonly github: GitHubRepository;
  /** Admits or rejects the intents that have no verdict yet. */
  readonly admit: () => Promise<unknown>;
  /** Raised with a `Termination` when the work is over, and when the service stops. */
  readonly signal: AbortSignal;
}

/** What planning a run needs of the service and the session. */
export interface PlanScope {
  readonly tracker: Pick<JournalTracker, 'id' | 'session' | 'entries'>;
  readonly github: Pick<
    GitHubRepository,
    'readFile' | 'ownersFile' | 'lacking' | 'issueState' | 'pullRequest' | 'gitUrl' | 'gitToken'
  >;
  readonly service: Pick<Service, 'operator' | 'shells' | 'servers' | 'redact'> & {
    readonly store: Pick<Service['store'], 'changes'>;
  };
  readonly signal: AbortSignal;
}

/** Whether a person has paused the session, or the operator the service. */
export const isPaused = (session: Session, pause: Pick<Service['pause'], 'current'>): boolean =>
  session.waiting.pausedBy !== undefined || pause.current !== undefined;

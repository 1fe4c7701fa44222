import type { Published } from '../../github/comments.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Entry } from '../../session/entries/entry.ts';
import type { Session } from '../../session/session.ts';
import type { Body } from '../../session/texts/body.ts';

/** One thing that GitHub should show of a session. Its digest tells whether it shows it already. */
export interface Publication {
  readonly key: string;
  readonly digest: string;
  /**
   * It changes all the time, and is edited when there is room. Where the first word of its digest is
   * another one than before, a person waits for it: that work has begun, say.
   */
  readonly isLive?: boolean;
  readonly kind: 'reaction' | 'comment' | 'label' | 'pull_request_body';
  /** Publishes it; safe to repeat. `known`: the id under which it was published before. */
  publish(github: GitHubRepository, known: number | undefined): Promise<Published>;
}

interface ViewOptions {
  readonly session: string;
  readonly pageUrl: string | undefined;
  /** Where people see the repository. */
  readonly repositoryUrl?: string | undefined;
  /** ISO time, shown as the last sign of life. */
  readonly now: string;
}

/** A session, its journal, and how it is to be shown. */
export interface View {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly options: ViewOptions;
}

export interface Comment {
  readonly key: string;
  readonly body: Body;
  /** Who hears of it; the requester where nobody is named. */
  readonly mention?: string;
  readonly digest?: string;
  /** The issue or pull request that it stands on; the session's issue where it is not said. */
  readonly issue?: number;
}

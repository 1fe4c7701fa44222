// Requests for work on a pull request that someone else opened.
import type { AdoptedPullRequest } from '../../contracts/pull-request.ts';
import type { Ask } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { isOnPull, startsWork } from '../../session/said/asks.ts';
import type { RejectionReason } from '../../session/entry.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';

export interface Adoption {
  /** Why no work begins on it. */
  readonly against?: RejectionReason;
  readonly adopts?: AdoptedPullRequest;
}

/** Looks up each pull request once for each request, when the request is judged: it may have changed since the last one. */
export class Adoptions {
  readonly #github: Pick<GitHubRepository, 'pullRequest'>;
  readonly #known = new Map<number, Promise<Adoption>>();

  constructor(github: Pick<GitHubRepository, 'pullRequest'>) {
    this.#github = github;
  }

  /** `undefined` if it does not request work on someone else's pull request. */
  async of(
    { seq, intent }: ReceivedIntent,
    ask: Ask | undefined,
    { thread }: Pick<Session, 'thread'>,
  ): Promise<Adoption | undefined> {
    if (!isOnPull(intent)) return undefined;
    // What our own branch is for is known before its pull request is.
    if (intent.kind === 'review' && intent.pullRequest !== thread.issue) return undefined;
    if (thread.pullRequest !== undefined || ask === undefined || !asksForRun(ask)) return undefined;
    const known = this.#known.get(seq) ?? this.#look(thread.issue);
    this.#known.set(seq, known);
    return known;
  }

  async #look(number: number): Promise<Adoption> {
    const found = await this.#github.pullRequest(number);
    if (found === undefined || found.isOwn) return { against: 'own_pull_request' };
    const { isOpen, isMerged, isOwn: _isOwn, isByBot: _isByBot, head: _head, ...adopts } = found;
    if (isOpen) return { adopts };
    return { against: isMerged ? 'pull_request_merged' : 'issue_closed' };
  }
}

const asksForRun = (ask: Ask): boolean => startsWork(ask.for) || ask.for === 'resume';

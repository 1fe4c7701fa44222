// With which rank a publication is written, and what becomes of it if there is no room.
import type { GitHubRepository } from '../../github/repository.ts';
import type { WriteBudget, WriteRank } from '../../lib/write-budget.ts';
import type { StandingPublication } from '../../store/store.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';
import type { Publication } from './publication.ts';

/** A publisher serves all installations: it comes back when there is room. */
const PATIENCE_MS = 500;

/** GitHub, written to by the publisher of a session with a rank. */
export function writers(
  { repository }: Pick<Service, 'repository'>,
  tracker: JournalTracker,
  signal: AbortSignal | undefined,
): (rank: WriteRank) => GitHubRepository {
  const opened = new Map<WriteRank, GitHubRepository>();
  return (rank) => {
    const holder = `publish:${tracker.id}:${rank}`;
    const github =
      opened.get(rank) ??
      repository(tracker.installation, tracker.session.thread.repository, {
        holder,
        rank,
        patienceMs: () => PATIENCE_MS,
        signal,
      });
    opened.set(rank, github);
    return github;
  };
}

/** `before`: as it is shown now, if it is. */
export function rankOf(
  { key, kind, isLive = false, isAsked = false }: Publication,
  before: Pick<StandingPublication, 'digest'> | undefined,
): WriteRank {
  if (key === 'status') {
    if (before === undefined) return 'first_status';
    return isLive && !isAsked ? 'live' : 'last_status';
  }
  if (kind === 'comment') return 'work';
  if (kind === 'reaction') {
    if (key === 'reaction:issue') return 'sign';
    return key.startsWith('end:') ? 'ending' : 'acknowledgement';
  }
  return kind === 'label' ? 'live' : 'last_status';
}

/** `wait`: milliseconds until it may be written. */
interface Waiting {
  readonly wait: number;
  readonly room: GitHubRepository['room'];
  readonly budget: () => Promise<WriteBudget>;
}

/**
 * Whether something is left out that the status comment says too, because it would wait too long for room. A pause that
 * GitHub asked for does not count: both come after it.
 */
export async function isLeftOut(
  rank: WriteRank,
  { wait, room, budget }: Waiting,
): Promise<boolean> {
  const patience = patienceOf(rank);
  if (wait <= patience) return false;
  // Read before the room, so that what is left of the pause is not shorter than in the answer.
  const pausedMs = Math.ceil((await budget()).pausedMs);
  return (await room.grantedIn(1)) - pausedMs > patience;
}

/** Milliseconds. */
const patienceOf = (rank: WriteRank): number => {
  if (rank === 'ending') return 0;
  return rank === 'sign' ? SIGN_PATIENCE_MS : Infinity;
};

const SIGN_PATIENCE_MS = 10_000;

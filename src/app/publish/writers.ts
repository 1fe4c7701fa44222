// With which rank a publication is written, and what is left out if there is no room.
import type { GitHubRepository } from '../../github/repository.ts';
import type { WriteRank } from '../../lib/write-budget.ts';
import type { StandingPublication } from '../../store/store.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';
import type { Publication } from './publication.ts';

/** A publisher serves all installations: it comes back when there is room. */
const PATIENCE_MS = 500;

/** GitHub, written to by the publisher of a session with a rank. */
export const writers =
  (
    { repository }: Pick<Service, 'repository'>,
    tracker: JournalTracker,
    signal: AbortSignal | undefined,
  ): ((rank: WriteRank) => GitHubRepository) =>
  (rank) =>
    repository(tracker.installation, tracker.session.thread.repository, {
      rank,
      patienceMs: () => PATIENCE_MS,
      signal,
    });

/** `before`: as it is shown now, if it is. */
export function rankOf(
  publication: Publication,
  before: Pick<StandingPublication, 'digest'> | undefined,
): WriteRank {
  const { key, kind } = publication;
  if (key === 'status') return before === undefined ? 'awaited' : 'later';
  if (kind === 'reaction') return isSaidByStatus(publication) ? 'later' : 'awaited';
  return kind === 'comment' ? 'awaited' : 'later';
}

/** Whether it answers someone, and does not only say how the work goes. */
export const isAnswer = ({ key, kind }: Publication): boolean =>
  key !== 'status' && (kind === 'comment' || (kind === 'reaction' && !key.startsWith('end:')));

/** 👀 on the issue, and 🚀 or 😕 at the end of a request: left out rather than waited for once there is a status. */
export const isSaidByStatus = ({ key, kind }: Publication): boolean =>
  kind === 'reaction' && (key === 'reaction:issue' || key.startsWith('end:'));

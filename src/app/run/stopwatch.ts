import { sharedNow } from '../../lib/clock.ts';
import type { SessionProgress } from '../../session/parts/session-counts.ts';

/**
 * Milliseconds that the latest run has been worked on, counted on from now: what it was deferred for, or the service
 * was down, does not count. What was before is known by the journal, in the database's time; from then on a clock counts
 * that nobody sets.
 */
export function stopwatch(
  { workedMs, workingSince }: Pick<SessionProgress, 'workedMs' | 'workingSince'>,
  now: () => number = sharedNow,
  elapsed: () => number = () => performance.now(),
): () => number {
  const before = workingSince === '' ? 0 : Math.max(0, now() - Date.parse(workingSince));
  const begun = elapsed();
  return () => workedMs + before + elapsed() - begun;
}

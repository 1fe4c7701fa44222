import type { Progress } from '../../session/parts/session-progress.ts';

/**
 * Milliseconds that the latest run has been worked on, counted on from now: what it was deferred for, or the service
 * was down, does not count.
 */
export function stopwatch(
  { workedMs, workingSince }: Pick<Progress, 'workedMs' | 'workingSince'>,
  now: () => number = Date.now,
): () => number {
  return () => workedMs + (workingSince === '' ? 0 : now() - Date.parse(workingSince));
}

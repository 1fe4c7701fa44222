// Everything that this service may have missed, in the order in which people did it.
import { reconcile, type ReconcileParts } from './reconcile.ts';
import { deliveriesSeenUntil, takeMissed, type MissedParts } from './missed-deliveries.ts';

/** A little less than GitHub keeps deliveries. */
const KEPT_MS = 60 * 60 * 60_000;

/** Whether repositories have to be compared, because GitHub may not have sent some events. */
export interface Comparison {
  isDue: boolean;
}

/**
 * Resolves with the number of events. GitHub's list of deliveries is more exact, so it is read first; repositories are
 * compared afterwards if that is due or an installation changed. If the list no longer reaches back to the last look,
 * they are compared first.
 * @throws {TryLater} if GitHub or the database does not answer; the next call continues there
 */
export async function catchUp(
  parts: MissedParts & ReconcileParts,
  signal: AbortSignal,
  comparison: Comparison,
): Promise<number> {
  const changed = (): void => {
    comparison.isDue = true;
  };
  const compare = async (): Promise<number> => {
    const events = await reconcile(parts, signal);
    if (!signal.aborted) comparison.isDue = false;
    return events;
  };
  const seen = await deliveriesSeenUntil(parts.store);
  const isGone = seen !== undefined && Date.now() - seen.getTime() > KEPT_MS;
  const compared = isGone ? await compare() : 0;
  const taken = compared + (await takeMissed(parts, signal, changed));
  return comparison.isDue ? taken + (await compare()) : taken;
}

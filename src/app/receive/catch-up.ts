// Everything that this service may have missed, in the order in which people did it.
import { reconcile, type ReconcileParts } from './reconcile.ts';
import { deliveriesSeenUntil, takeMissed, type MissedParts } from './missed-deliveries.ts';

/** A little less than GitHub keeps deliveries. */
const KEPT_MS = 60 * 60 * 60_000;

/**
 * Resolves with how many events there were. GitHub's list of deliveries is more exact, so it comes first, unless it does
 * not reach back to the last look. `isThorough`: people's doings are compared too.
 * @throws {TryLater} if GitHub or the database does not answer; the next call continues there
 */
export async function catchUp(
  parts: MissedParts & ReconcileParts,
  signal: AbortSignal,
  isThorough: boolean,
): Promise<number> {
  if (!isThorough) return takeMissed(parts, signal);
  const seen = await deliveriesSeenUntil(parts.store);
  const isGone = seen !== undefined && Date.now() - seen.getTime() > KEPT_MS;
  if (isGone) return (await reconcile(parts, signal)) + (await takeMissed(parts, signal));
  return (await takeMissed(parts, signal)) + (await reconcile(parts, signal));
}

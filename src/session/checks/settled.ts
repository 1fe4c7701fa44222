// What the checks of a commit say together.
import type { Check } from '../../contracts/checks.ts';

export type Settled =
  | { readonly kind: 'unsettled' | 'none' | 'passed' }
  | { readonly kind: 'failed'; readonly failed: readonly Check[] };

/** A check that nobody waits for any more may still have failed: all of them count, required or not. */
export function settledState(checks: readonly Check[]): Settled {
  if (checks.some(({ state }) => state === 'unsettled')) return { kind: 'unsettled' };
  if (checks.length === 0) return { kind: 'none' };
  const failed = checks.filter(({ state }) => state !== 'passed');
  return failed.length === 0 ? { kind: 'passed' } : { kind: 'failed', failed };
}

import type { Tally } from './tally.ts';

/** A global: the checks of the local GitHubs that a test file has started. */
export const CHECKS = Symbol.for('issuewright.schema-checks');

/** What was compared so far, for each local GitHub that this file has started. */
export const talliesOfFile = (): readonly Tally[] =>
  (Reflect.get(globalThis, CHECKS) as readonly { readonly tally: Tally }[]).map(
    ({ tally }) => tally,
  );

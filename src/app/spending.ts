import type { Budgets, Spending } from '../agent/limits.ts';
import type { RunContext } from './run-context.ts';

/** What the session and its repository have cost so far, asked anew before each request. */
export function spendingOf(
  { tracker, store }: Pick<RunContext, 'tracker' | 'store'>,
  budgets: Budgets,
): () => Promise<Spending> {
  return async () => {
    const { cost, repository } = tracker.session;
    const repositoryDay =
      budgets.repositoryDay === undefined ? 0 : await store.spentSince(repository.id, midnight());
    return { issue: cost.dollars, repositoryDay };
  };
}

/** The last midnight, UTC. */
const midnight = (now = new Date()): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));

// What the session has cost, and who has received its code and comments.
import type { Effect } from '../../contracts/effect.ts';
import type { Usage } from '../../contracts/model.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import type { Spending } from '../session-spending.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';

export const NO_SPENDING: Spending = {
  usage: NO_USAGE,
  cost: { dollars: 0, isPartial: false },
  destinations: [],
  reviewers: [],
  embedders: [],
};

export const SPENDING: Table<Spending> = {
  ...MOSTLY_UNCHANGED,
  reply: (spending, entry) => spent(spending, entry),
  compacted: (spending, entry) => spent(spending, entry),
  run_prepared: (spending, { destination, reviewer }) => ({
    ...spending,
    reviewers: [
      ...new Set([
        ...spending.reviewers,
        ...(reviewer === undefined ? [] : [reviewer.destination]),
      ]),
    ],
    destinations: [...spending.destinations.filter((one) => one !== destination), destination],
  }),
  call_finished: (spending, { effects }) => effects.reduce(paid, spending),
  ...noChange(
    'received',
    'admitted',
    'run_started',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'run_ended',
    'input_read',
    'call_started',
    'work_saved',
  ),
};

function paid(spending: Spending, effect: Effect): Spending {
  const after = 'usage' in effect ? spent(spending, effect) : spending;
  if (effect.type !== 'embedded') return after;
  return { ...after, embedders: [...new Set([...spending.embedders, effect.destination])] };
}

/** Replies, summaries and some calls cost money; without a known price, only their tokens are counted. */
const spent = (
  spending: Spending,
  { usage, cost }: { readonly usage: Usage; readonly cost: number | null },
): Spending => ({
  ...spending,
  usage: {
    input: spending.usage.input + usage.input,
    cached: spending.usage.cached + usage.cached,
    written: spending.usage.written + usage.written,
    output: spending.usage.output + usage.output,
    reasoning: spending.usage.reasoning + usage.reasoning,
  },
  cost: {
    dollars: spending.cost.dollars + (cost ?? 0),
    isPartial: spending.cost.isPartial || cost === null,
  },
});

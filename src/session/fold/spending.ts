// What the session has cost, and who has received its code and comments.
import type { Effect } from '../../contracts/effect.ts';
import type { Usage } from '../../contracts/model.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import {
  MOST_POINTS,
  type Spending,
  type SpendingPoint,
  type Tally,
} from '../parts/session-counts.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';

export const NO_SPENDING: Spending = {
  usage: NO_USAGE,
  cost: { dollars: 0, isPartial: false },
  course: [],
  destinations: [],
  reviewers: [],
  embedders: [],
};

export const SPENDING: Table<Spending> = {
  ...MOSTLY_UNCHANGED,
  reply: (spending, entry, { session }) => {
    const after = spent(spending, entry);
    return { ...after, course: continued(after, session.tally, entry.at) };
  },
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

/** Every second point leaves when there are too many: the course of a long session is as short as that of any other. */
function continued(
  { course, usage, cost: { dollars } }: Spending,
  { workedMs, steppedAt = '' }: Tally,
  at: string,
): readonly SpendingPoint[] {
  const sinceStep = Math.max(0, Date.parse(at) - Date.parse(steppedAt)) || 0;
  const tokens = usage.input + usage.output;
  const points = [...course, { workedMs: workedMs + sinceStep, tokens, dollars }];
  return points.length > MOST_POINTS ? points.filter((_point, index) => index % 2 === 0) : points;
}

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
    ...(spending.usage.isEstimated === true || usage.isEstimated === true
      ? { isEstimated: true as const }
      : {}),
  },
  cost: {
    dollars: spending.cost.dollars + (cost ?? 0),
    isPartial: spending.cost.isPartial || cost === null,
  },
});

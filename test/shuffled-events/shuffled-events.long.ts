import { describeShuffledEvents } from './suite.ts';

/** Each kind has a thousand seeds of its own. */
const SCENARIOS = [
  ['issue', 1000, 200],
  ['stack', 2000, 30],
  ['branch', 3000, 30],
  ['fork', 4000, 20],
] as const;

/** Some of them, to look into a fault: `TEST_SEEDS=1017,3002`. */
const chosen = process.env['TEST_SEEDS']?.split(',').map(Number);

for (const [kind, from, count] of SCENARIOS) {
  const all = Array.from({ length: count }, (_none, at) => from + at);
  const seeds = chosen?.filter((seed) => seed >= from && seed < from + 1000) ?? all;
  if (seeds.length > 0) describeShuffledEvents(kind, seeds, 60 * 60_000);
}

import { describeShuffledEvents } from './suite.ts';

describeShuffledEvents(
  Array.from({ length: 200 }, (_none, index) => 1000 + index),
  20 * 60_000,
);

import { describeDisorder } from './disorder.ts';

describeDisorder(
  Array.from({ length: 200 }, (_none, index) => 1000 + index),
  20 * 60_000,
);

import { blocksOf, lastNumber, type ReadTests } from './results.ts';

/** The `spec` reporter of node:test: `ℹ fail 1`, and the failing tests again at the end. */
export const nodeTest: ReadTests = (text) => {
  const failed = lastNumber(text, /^ℹ fail (\d+)$/gm);
  if (failed === null) return undefined;
  const [, again] = text.split(/^✖ failing tests:$/m);
  const failures = blocksOf(again ?? text, /^ *✖ /, /^(?:ℹ|test at) /);
  return { failed, passed: lastNumber(text, /^ℹ pass (\d+)$/gm), failures };
};

import { blocksOf, type ReadTests } from './results.ts';

/** `      Tests  1 failed | 2 passed (3)`, and a block for each that failed: ` FAIL  file > name`. */
export const vitest: ReadTests = (text) => {
  const summary = [...text.matchAll(/^ *Tests {2}(.*\(\d+\))$/gm)].at(-1)?.[1];
  if (summary === undefined) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
  const failures = blocksOf(text, /^ FAIL {2}/, /^(?: Test Files|⎯+\[)/);
  return { failed: count('failed'), passed: count('passed'), failures };
};

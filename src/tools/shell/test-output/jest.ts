import { blocksOf, type ReadTests } from './results.ts';

/** `Tests:       1 failed, 2 passed, 3 total`, and a block for each that failed: `● suite › name`. */
export const jest: ReadTests = (text) => {
  const summary = [...text.matchAll(/^Tests: +(.*\d+ total)$/gm)].at(-1)?.[1];
  if (summary === undefined) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
  const blocks = blocksOf(
    text,
    /^ {2}● .*\S/,
    /^(?:PASS|FAIL|Test Suites:|Summary of all failing)/,
  );
  const failures = [...new Map(blocks.map((block) => [block.split('\n', 1)[0], block])).values()];
  return {
    failed: count('failed'),
    passed: count('passed'),
    failures: failures.filter((block) => !block.startsWith('● Console')),
  };
};

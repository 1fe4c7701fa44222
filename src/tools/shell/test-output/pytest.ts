import { blocksOf, type ReadTests } from './results.ts';

/** `=== 1 failed, 2 passed in 0.12s ===`, and a block for each that failed: `____ name ____`. */
export const pytest: ReadTests = (text) => {
  const line = [...text.matchAll(/^=* ?((?:\d+ [a-z]+(?:, )?)+) in [\d.:]+s?.*$/gm)].at(-1)?.[1];
  if (line === undefined) return undefined;
  const count = (word: string): number => Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0);
  const blocks = blocksOf(text, /^_{3,} .* _{3,}$/, /^=+ .* =+$|^=+$/);
  const short = blocksOf(text, /^(?:FAILED|ERROR) /, /^=/);
  return {
    failed: count('failed') + count('errors?'),
    passed: count('passed'),
    failures: blocks.length > 0 ? blocks : short,
  };
};

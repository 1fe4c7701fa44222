import { blocksOf, type ReadTests } from './results.ts';

const RESULT = /^test result: .*? (\d+) passed; (\d+) failed;/gm;

/** One `test result:` for each binary, and a block for each that failed: `---- name stdout ----`. */
export const cargo: ReadTests = (text) => {
  const results = [...text.matchAll(RESULT)];
  if (results.length === 0) return undefined;
  const sum = (group: number): number =>
    results.reduce((all, match) => all + Number(match[group] ?? 0), 0);
  return {
    failed: sum(2),
    passed: sum(1),
    failures: blocksOf(text, /^---- .* ----$/, /^(?:failures:|test result:)/),
  };
};

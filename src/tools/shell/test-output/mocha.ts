import { blocksOf, lastNumber, type ReadTests } from './results.ts';

/** `  2 passing (5ms)`, `  1 failing`, and then each that failed: `  1) suite`. */
export const mocha: ReadTests = (text) => {
  const passed = lastNumber(text, /^ *(\d+) passing\b/gm);
  if (passed === null) return undefined;
  const [, after = ''] = text.split(/^ *\d+ failing$/m);
  return {
    failed: lastNumber(text, /^ *(\d+) failing$/gm) ?? 0,
    passed,
    failures: blocksOf(after, /^ +\d+\) \S/),
  };
};

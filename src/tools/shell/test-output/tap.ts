import { blocksOf, lastNumber, type ReadTests } from './results.ts';

/** `not ok 2 - name` with what follows it; the counts stand in comments, or in the lines themselves. */
export const tap: ReadTests = (text) => {
  if (!/^(?:TAP version \d+|1\.\.\d+)$/m.test(text)) return undefined;
  const lines = (pattern: RegExp): number => [...text.matchAll(pattern)].length;
  const failures = blocksOf(
    text,
    /^ *not ok \d+(?!.*# (?:TODO|SKIP))/i,
    /^ *(?:ok \d+|not ok \d+|1\.\.\d+|# )/,
  );
  return {
    failed: lastNumber(text, /^# fail +(\d+)$/gm) ?? lines(/^not ok \d+(?!.*# (?:TODO|SKIP))/gim),
    passed: lastNumber(text, /^# pass +(\d+)$/gm) ?? lines(/^ok \d+/gm),
    // A suite says only that one of its tests failed.
    failures: failures.filter((block) => !block.includes("failureType: 'subtestsFailed'")),
  };
};

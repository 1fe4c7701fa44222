import { blocksOf, type ReadTests } from './results.ts';

/** `--- FAIL: TestName (0.00s)` with what is indented below, `ok package` and `FAIL package`. */
export const go: ReadTests = (text) => {
  if (!/^(?:ok|FAIL|---|\?) ?[ \t]+\S+/m.test(text) || !/^(?:ok|FAIL|\?) *\t\S/m.test(text))
    return undefined;
  const failures = blocksOf(text, /^--- FAIL: /, /^(?:=== |--- |ok\b|FAIL\b|PASS\b|\?)/);
  const broken = blocksOf(text, /^FAIL\t\S+ \[/);
  const passed = [...text.matchAll(/^--- PASS: /gm)].length;
  return {
    failed: failures.length + broken.length,
    // Those that pass are only listed with -v.
    passed: passed === 0 ? null : passed,
    failures: failures.length > 0 ? failures : broken,
  };
};

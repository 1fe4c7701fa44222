import { blocksOf, type ReadTests, type TestResults } from './results.ts';

/** Maven's surefire, or Gradle. */
export const java: ReadTests = (text) => surefire(text) ?? gradle(text);

const SUMMARY =
  /^\[(?:INFO|ERROR|WARNING)\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$/gm;

/** The last summary is that of all classes. */
function surefire(text: string): TestResults | undefined {
  const last = [...text.matchAll(SUMMARY)].at(-1);
  if (last === undefined) return undefined;
  const [run = 0, failures = 0, errors = 0, skipped = 0] = last.slice(1).map(Number);
  const failed = failures + errors;
  return {
    failed,
    passed: run - failed - skipped,
    failures: blocksOf(
      text,
      /^\[ERROR\] .*(?:<<< (?:FAILURE|ERROR)!|:\d+)/,
      /^\[(?:INFO|WARNING)\]|^\[ERROR\] *$|^\[ERROR\] Tests run/,
    ).filter((block) => !block.startsWith('[ERROR] Tests run')),
  };
}

/** `5 tests completed, 1 failed`, and `Class > name FAILED` with what is indented below. */
function gradle(text: string): TestResults | undefined {
  const [, run, failed] = /^(\d+) tests? completed(?:, (\d+) failed)?/m.exec(text) ?? [];
  if (run === undefined) return undefined;
  return {
    failed: Number(failed ?? 0),
    passed: null,
    failures: blocksOf(text, /^\S.* > .* FAILED$/, /^\S/),
  };
}

// What is said of the results of tests, however much they printed.
import { lastPart } from './plain-output.ts';
import type { TestResults } from './test-output.ts';

const MAX_FAILURES = 10_000;
const MAX_FAILURE = 2_500;
const MAX_LAST_LINES = 4_000;

/** " 1 failed, 2 passed." */
export function counts(results: TestResults | undefined): string {
  if (results === undefined) return '';
  const { failed, passed } = results;
  const words: string[] = [];
  if (failed !== null) words.push(`${failed} failed`);
  if (passed !== null) words.push(`${passed} passed`);
  return words.length === 0 ? '' : ` ${words.join(', ')}.`;
}

/** Nothing if all passed; the failures, each cut; the last lines of the output if these do not tell everything. */
export function resultDetails(
  text: string,
  results: TestResults | undefined,
  succeeded: boolean,
): string[] {
  if (succeeded && results?.failed === 0) return [];
  const failures = results?.failures ?? [];
  const { shown, left } = fitting(failures);
  const last = lastPart(text, MAX_LAST_LINES) || '(no output)';
  if (shown.length === 0) return [last];
  return [
    '\nFailures:\n',
    shown.join('\n\n'),
    ...(left > 0 ? [`\n… and ${left} more`] : []),
    ...(failures.length >= (results?.failed ?? Infinity)
      ? []
      : ['\nThe end of the output:\n', lastPart(text, Math.floor(MAX_LAST_LINES / 4))]),
  ];
}

const MOST_ALIKE = 2;

/** Of a test function with parameters, the first failures whole, and of the others the name and what they say. */
function shortenedIfAlike(failures: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return failures.map((failure) => {
    const [heading = '', ...lines] = failure.split('\n');
    // pytest's `___ test_a[1-x] ___`, and unittest's `FAIL: test_a (module.Class.test_a) (i=1)` of a subtest.
    const called =
      /^_{3,} ([^[]+)\[/.exec(heading)?.[1] ??
      /^(?:FAIL|ERROR): (\S+ \(\S+\)) [([]/.exec(heading)?.[1];
    if (called === undefined) return failure;
    const number = (seen.get(called) ?? 0) + 1;
    seen.set(called, number);
    const said = number > MOST_ALIKE ? errorIn(lines) : undefined;
    return said === undefined ? failure : `${heading}\n${said}`;
  });
}

/** pytest's first line of an error, or the one below Python's traceback. */
function errorIn(lines: readonly string[]): string | undefined {
  const traceback = lines.findIndex((line) => line.startsWith('Traceback '));
  return (
    lines.find((line) => line.startsWith('E  ')) ??
    (traceback === -1 ? undefined : lines.slice(traceback + 1).find((line) => /^\S/.test(line)))
  );
}

/** The first failures, each cut. */
function fitting(failures: readonly string[]) {
  const shown: string[] = [];
  let room = MAX_FAILURES;
  for (const failure of shortenedIfAlike(failures).map(cut)) {
    if (failure.length > room) break;
    shown.push(failure);
    room -= failure.length;
  }
  return { shown, left: failures.length - shown.length };
}

/** Of results in a long output, whatever part of that is shown: the totals, and the failures that are not in `part`. */
export function beside(part: string, results: TestResults | undefined): string[] {
  if (results === undefined) return [];
  const isLeftOut = (failure: string): boolean => !part.includes(failure.split('\n', 1)[0] ?? '');
  const { shown, left } = fitting(results.failures.filter(isLeftOut));
  const failures = shown.length === 0 ? [] : [`Failures:\n\n${shown.join('\n\n')}`];
  return [counts(results).trim(), ...failures, ...(left > 0 ? [`… and ${left} more`] : [])].filter(
    (text) => text !== '',
  );
}

const cut = (failure: string): string =>
  failure.length <= MAX_FAILURE
    ? failure
    : `${failure.slice(0, MAX_FAILURE)}\n… (cut)`.toWellFormed();

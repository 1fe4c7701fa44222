// The results of tests: read from the output of their runner, with one reader for each, and said to the model.
import { lastPart } from './plain-output.ts';

/** The results that a test runner reports. */
export interface TestResults {
  readonly failed: number | null;
  readonly passed: number | null;
  /** The output for each failed test, beginning with its name. */
  readonly failures: readonly string[];
}

/** Reads the plain output of one runner; `undefined` if it is from another. */
type ReadTests = (text: string) => TestResults | undefined;

/** The number in the last match of a pattern. */
function lastNumber(text: string, pattern: RegExp): number | null {
  const found = [...text.matchAll(pattern)].at(-1)?.[1];
  return found === undefined ? null : Number(found);
}

/** Splits a text into blocks. Each reaches from a line that begins one to the next such line, or to a line that ends it. */
function blocksOf(text: string, begins: RegExp, ends: RegExp = /^(?!)/): string[] {
  const blocks: string[][] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    if (begins.test(line)) {
      blocks.push([]);
      isInside = true;
    } else if (ends.test(line)) isInside = false;
    if (isInside) blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join('\n').trim());
}

const CARGO_RESULT = /^test result: .*? (\d+) passed; (\d+) failed;/gm;

/** One `test result:` for each binary, and a block for each that failed: `---- name stdout ----`. */
const cargo: ReadTests = (text) => {
  const results = [...text.matchAll(CARGO_RESULT)];
  if (results.length === 0) return undefined;
  const sum = (group: number): number =>
    results.reduce((all, match) => all + Number(match[group] ?? 0), 0);
  return {
    failed: sum(2),
    passed: sum(1),
    failures: blocksOf(text, /^---- .* ----$/, /^(?:failures:|test result:)/),
  };
};

/** `--- FAIL: TestName (0.00s)` with what is indented below, `ok package` and `FAIL package`. */
const go: ReadTests = (text) => {
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

/** Maven's surefire, or Gradle. */
const java: ReadTests = (text) => surefire(text) ?? gradle(text);

const SUREFIRE_SUMMARY =
  /^\[(?:INFO|ERROR|WARNING)\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$/gm;

/** The last summary is that of all classes. */
function surefire(text: string): TestResults | undefined {
  const last = [...text.matchAll(SUREFIRE_SUMMARY)].at(-1);
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
    failures: blocksOf(text, /^(?=\S.* > ).* FAILED$/, /^\S/),
  };
}

/** `Tests:       1 failed, 2 passed, 3 total`, and a block for each that failed: `● suite › name`. */
const jest: ReadTests = (text) => {
  const summary = [...text.matchAll(/^Tests: +(\S.*)$/gm)]
    .map(([, counts = '']) => counts)
    .findLast((counts) => /\d total$/.test(counts));
  if (summary === undefined) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
  // A suite that cannot be loaded has no tests that fail.
  const suites = lastNumber(text, /^Test Suites: (\d+) failed/gm) ?? 0;
  const blocks = blocksOf(
    text,
    /^ {2}● .*\S/,
    /^(?:PASS|FAIL|Test Suites:|Summary of all failing)/,
  );
  const failures = [...new Map(blocks.map((block) => [block.split('\n', 1)[0], block])).values()];
  return {
    failed: count('failed') || suites,
    passed: count('passed'),
    failures: failures.filter((block) => !block.startsWith('● Console')),
  };
};

/** `  2 passing (5ms)`, `  1 failing`, and then each that failed: `  1) suite`. */
const mocha: ReadTests = (text) => {
  const passed = lastNumber(text, /^ *(\d+) passing\b/gm);
  if (passed === null) return undefined;
  const [, after = ''] = text.split(/^ *\d+ failing$/m);
  return {
    failed: lastNumber(text, /^ *(\d+) failing$/gm) ?? 0,
    passed,
    failures: blocksOf(after, /^ +\d+\) \S/),
  };
};

/** The `spec` reporter of node:test: `ℹ fail 1`, and the failing tests again at the end. */
const nodeTest: ReadTests = (text) => {
  const failed = lastNumber(text, /^ℹ fail (\d+)$/gm);
  if (failed === null) return undefined;
  const [, again] = text.split(/^✖ failing tests:$/m);
  const failures = blocksOf(again ?? text, /^ *✖ /, /^(?:ℹ|test at) /);
  return { failed, passed: lastNumber(text, /^ℹ pass (\d+)$/gm), failures };
};

/** `=== 1 failed, 2 passed in 0.12s ===`, and a block for each that failed: `____ name ____`. */
const pytest: ReadTests = (text) => {
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

/** `Ran 3 tests in 0.1s`, `FAILED (failures=1)`, and a block for each that failed: `FAIL: name`. */
const unittest: ReadTests = (text) => {
  const run = lastNumber(text, /^Ran (\d+) tests? in [\d.]+s$/gm);
  if (run === null) return undefined;
  const end = [...text.matchAll(/^(?:OK|FAILED|NO TESTS RAN)\b.*$/gm)].at(-1)?.[0] ?? '';
  const count = (word: string): number =>
    Number(new RegExp(`\\b${word}=(\\d+)`).exec(end)?.[1] ?? 0);
  const failed = count('(?<!expected )failures') + count('errors') + count('unexpected successes');
  const blocks = blocksOf(text, /^(?:FAIL|ERROR): \S/, /^(?:={10,}|Ran \d+ tests?\b.*)$/);
  const failures = blocks.map((block) => block.replace(/\n-{10,}$/, '').trim());
  return { failed, passed: Math.max(0, run - failed - count('skipped')), failures };
};

/** `not ok 2 - name` with what follows it; the counts are in comments, or the lines are counted. */
const tap: ReadTests = (text) => {
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

/** `      Tests  1 failed | 2 passed (3)`, and a block for each that failed: ` FAIL  file > name`. */
const vitest: ReadTests = (text) => {
  const summary = [...text.matchAll(/^ *Tests {2}(.*\(\d+\))$/gm)].at(-1)?.[1];
  if (summary === undefined) return undefined;
  const count = (word: string): number =>
    Number(new RegExp(`(\\d+) ${word}`).exec(summary)?.[1] ?? 0);
  const failures = blocksOf(text, /^ FAIL {2}/, /^(?: Test Files|⎯+\[)/);
  const files = lastNumber(text, /^ Test Files {2}(\d+) failed/gm) ?? 0;
  return { failed: count('failed') || files, passed: count('passed'), failures };
};

/** Each recognises only its own summary. */
const READERS: readonly ReadTests[] = [
  vitest,
  jest,
  nodeTest,
  mocha,
  pytest,
  unittest,
  cargo,
  go,
  java,
  tap,
];

/** Meaningful lines are shorter, and some patterns take time quadratic in a line's length. */
const MAX_LINE = 1_000;

/** The results in the output of tests; `undefined` if the runner is unknown. */
export function readTestOutput(text: string): TestResults | undefined {
  const lines = text.split('\n').map((line) => line.slice(0, MAX_LINE));
  const bounded = lines.join('\n');
  for (const read of READERS) {
    const results = read(bounded);
    if (results !== undefined) return results;
  }
  return undefined;
}

// What is said of them, however much the tests printed.

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

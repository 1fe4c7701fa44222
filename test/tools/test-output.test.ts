import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { plainOutput } from '../../src/tools/shell/plain-output.ts';
import { readTestOutput } from '../../src/tools/shell/test-results.ts';
import { expectLinear } from '../support/growth.ts';

const fixture = (name: string): string =>
  plainOutput(readFileSync(`test/fixtures/test-output/${name}.txt`, 'utf8'));

/** What each runner printed, how many failed and passed, and how what it says of each failure begins. */
const OUTPUTS: readonly [string, number, number | null, readonly RegExp[]][] = [
  ['node-spec', 2, 1, [/^✖ is 0 of nothing .*AssertionError/s, /^✖ throws .*boom/s]],
  ['node-tap', 2, 1, [/^not ok 2 - is 0 of nothing.*undefined == 0/s, /^not ok 2 - throws.*boom/s]],
  ['jest', 2, 1, [/^● sums › is 0.*Expected: 0/s, /^● throws\n\n {4}boom/]],
  ['vitest', 2, 1, [/^FAIL {2}a\.test\.ts > sums > is 0\nAssertionError/, /throws\nError: boom/]],
  ['mocha', 2, 1, [/^1\) throws:\s+Error: boom/, /^2\) sums\s+is 0:\s+AssertionError/]],
  ['pytest', 2, 1, [/^_+ ERROR at setup of test_error.*boom/s, /^_+ test_zero .*assert 1 == 0/s]],
  ['unittest', 2, 1, [/^ERROR: test_throws .*ValueError: boom$/s, /^FAIL: test_zero .*1 != 0$/s]],
  ['pytest-q', 2, 1, [/test_error/, /test_zero/]],
  ['cargo', 1, 1, [/^---- tests::zero stdout ----.*left: 1/s]],
  ['go', 2, 1, [/^--- FAIL: TestZero/, /^--- FAIL: TestTable.*TestTable\/nothing/s]],
  ['go-build', 1, null, [/^FAIL\texample\.com\/sum \[build failed\]/]],
  ['surefire', 2, 1, [/SumTest\.zero .*<0> but was: <1>/s, /SumTest\.boom/, /zero:14/, /boom:19/]],
  ['gradle', 1, null, [/^SumTest > zero\(\) FAILED.*expected: <0>/s]],
];

describe('what tests say of themselves', () => {
  it.each(OUTPUTS)('is read from the output of %s', (name, failed, passed, begins) => {
    const results = readTestOutput(fixture(name));
    expect(results).toMatchObject({ failed, passed });
    expect(results?.failures.map((text) => text)).toEqual(
      begins.map((begin) => expect.stringMatching(begin)),
    );
  });

  it.each([
    '',
    'make: *** [test] Error 1\n',
    'All good.\n12 things done\n',
    '# a heading\nok then\n',
  ])('is nothing in %j', (text) => {
    expect(readTestOutput(text)).toBeUndefined();
  });

  it('is read in time that grows with its length, whatever it is', () => {
    const long: readonly (readonly [(size: number) => string, most: number])[] = [
      [(size) => '1 failed, '.repeat(size), 20_000],
      [(size) => '=== 1 a'.repeat(size), 20_000],
      [(size) => `Tests: ${'1 failed '.repeat(size)}`, 20_000],
      [(size) => '● '.repeat(size), 50_000],
      [(size) => '_'.repeat(size), 100_000],
      [(size) => 'not ok 1 '.repeat(size), 20_000],
      [(size) => '\n'.repeat(size), 100_000],
      [(size) => '[INFO] Tests run: '.repeat(size), 10_000],
      [(size) => `Tests: ${'1'.repeat(size)}`, 200_000],
      [(size) => `${'x'.repeat(size)}\n`.repeat(3), 300_000],
      [(size) => '\r'.repeat(size), 300_000],
      [(size) => '\u001B['.repeat(size), 100_000],
    ];
    for (const [text, most] of long)
      expectLinear((size) => readTestOutput(plainOutput(text(size))), most);
  });
});

describe('the plain text of output', () => {
  it('has no colours, no lines that others overwrote, and no control characters', () => {
    expect(plainOutput('\u001B[31mred\u001B[39m\r\n10 %\r50 %\rdone\n\u0007bell\ttab')).toBe(
      'red\ndone\nbell\ttab',
    );
  });
});

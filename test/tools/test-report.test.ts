import { expect, it } from '@jest/globals';
import { readTestOutput, resultDetails } from '../../src/tools/shell/test-results.ts';

const pytest = (name: string, error: string): string => `____ ${name} ____

    def test(n):
>       assert n == 99
E       ${error}
E       more

test_a.py:4: AssertionError`;

const unittest = (name: string, error: string): string => `${'='.repeat(70)}
FAIL: ${name}
${'-'.repeat(70)}
Traceback (most recent call last):
  File "test_a.py", line 6, in test_a
    self.assertEqual(i, 9)
${error}

more
`;

const NUMBERS = [0, 1, 2, 3];

it.each([
  [
    'pytest',
    [
      '=== FAILURES ===',
      ...NUMBERS.map((n) => pytest(`test_is[${n}]`, `assert ${n} == 99`)),
      pytest('test_b', 'assert 5 == 99'),
      pytest('test_c', 'assert 6 == 99'),
      pytest('test_d', 'assert 7 == 99'),
      '=== 7 failed in 0.10s ===',
    ],
    '____ test_is[2] ____\nE       assert 2 == 99\n\n____ test_is[3] ____\nE       assert 3 == 99\n\n____ test_b ____\n\n',
    5,
  ],
  [
    'unittest',
    [
      ...NUMBERS.map((n) => unittest(`test_a (a.T.test_a) (i=${n})`, `AssertionError: ${n} != 9`)),
      unittest('test_b (a.T.test_b)', 'AssertionError: 5 != 9'),
      'Ran 2 tests in 0.001s\n\nFAILED (failures=5)',
    ],
    'FAIL: test_a (a.T.test_a) (i=2)\nAssertionError: 2 != 9\n\nFAIL: test_a (a.T.test_a) (i=3)\nAssertionError: 3 != 9\n\nFAIL: test_b (a.T.test_b)\n---',
    3,
  ],
])(
  'a test function of %s that fails for many parameters is shown whole twice, and then by what it says',
  (_runner, lines, short, whole) => {
    const text = lines.join('\n');
    const told = resultDetails(text, readTestOutput(text), false).join('\n');
    expect(told).toContain(short);
    expect(told.match(/^(?:E {7})?more$/gm)).toHaveLength(whole);
  },
);

import { cargo } from './cargo.ts';
import { go } from './go.ts';
import { java } from './java.ts';
import { jest } from './jest.ts';
import { mocha } from './mocha.ts';
import { nodeTest } from './node-test.ts';
import { pytest } from './pytest.ts';
import { tap } from './tap.ts';
import { vitest } from './vitest.ts';
import type { ReadTests, TestResults } from './results.ts';

/** Each knows its own summary, and answers nothing for any other. */
const READERS: readonly ReadTests[] = [vitest, jest, nodeTest, mocha, pytest, cargo, go, java, tap];

/** No line that says something is longer, and some patterns cost the square of a line. */
const MAX_LINE = 1_000;

/** What the output of tests says of them; `undefined` where it is none that is known. */
export function readTestOutput(text: string): TestResults | undefined {
  const lines = text.split('\n').map((line) => line.slice(0, MAX_LINE));
  const bounded = lines.join('\n');
  for (const read of READERS) {
    const results = read(bounded);
    if (results !== undefined) return results;
  }
  return undefined;
}

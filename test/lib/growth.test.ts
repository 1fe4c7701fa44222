import { expect, it } from '@jest/globals';
import { cutMarkdown } from '../../src/lib/markdown-cut.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { sanitise } from '../../src/lib/sanitise.ts';
import { hostPolicy } from '../../src/lib/sanitise/links.ts';
import { visible } from '../../src/lib/visible.ts';
import { computingMs } from '../support/computing.ts';
import { REPEATED } from './repeated-texts.ts';

const PUBLIC = { mentions: ['me'], closes: 7, links: hostPolicy(['github.com']) };
const { redact } = createRedactor(['p@ss/word+"quoted"']);
const WAYS: readonly ((text: string) => string)[] = [
  visible,
  (text) => sanitise(text, PUBLIC),
  (text) => cutMarkdown(text, 4000, 'CUT'),
  redact,
];

/** Half of GitHub's longest body is the larger one. */
const [SIZE, TIMES] = [65_536 / 16, 8];
/** Four times what is linear, for what is measured in a few milliseconds beside other tests. */
const MOST = TIMES * 4;
const LEAST_MS = 4;
const TRIES = 3;

const repeated = ([before, unit, after]: readonly [string, string, string], size: number): string =>
  before + unit.repeat(Math.ceil(size / unit.length)) + after;

/** How many times longer the long one takes; measured again where something else may have come between. */
function growth(way: (text: string) => string, short: string, long: string): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= MOST; tries += 1) {
    const shortMs = computingMs(() => way(short));
    const longMs = computingMs(() => way(long));
    least = Math.min(least, longMs / Math.max(shortMs, LEAST_MS));
  }
  return least;
}

it.each(REPEATED)(
  '%j, %j again and again, %j: takes time in proportion to its length',
  (...row) => {
    const [short, long] = [repeated(row, SIZE), repeated(row, SIZE * TIMES)];
    for (const way of WAYS) expect(growth(way, short, long)).toBeLessThan(MOST);
  },
);

it('a megabyte of prose takes no longer than its share', () => {
  const part =
    '# A title\n\nSome *text* with `code`, a [link](a.md) <b>and</b> more, @me.\n\n- one\n- two\n\n';
  const text = (size: number): string => part.repeat(Math.ceil(size / part.length));
  for (const way of WAYS) {
    const [short, long] = [text(125_000), text(1_000_000)];
    expect(growth(way, short, long)).toBeLessThan(MOST);
  }
});

import { it } from '@jest/globals';
import { cutMarkdown, plainText } from '../../src/github/text/safe.ts';
import { harmless } from '../../src/github/text/harmless.ts';
import { readHtml } from '../../src/github/text/index.ts';
import { hostPolicy } from '../../src/github/text/links.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { faultIn } from '../../src/github/text/rendering-check.ts';
import { withTrailers } from '../../src/session/trailers.ts';
import { cases } from '../support/cases.ts';
import { expectLinear } from '../support/growth.ts';
import { randomRepetition } from './random-repetitions.ts';
import { REPEATED } from './repeated-texts.ts';

const PUBLIC = { mentions: ['me'], closes: 7, links: hostPolicy(['github.com']) };
const redactor = createRedactor(['p@ss/word+"quoted"']);
const WAYS: readonly ((text: string) => unknown)[] = [
  (text) => readHtml(text),
  (text) => harmless(text, PUBLIC),
  (text) => cutMarkdown(text, { limit: 4000 }),
  (text) => faultIn(text, { ...PUBLIC, redactor }),
  (text) => plainText(text, redactor),
  (text) => withTrailers(text, []),
  redactor.redact,
];

/** GitHub's longest body has 65,536. */
const SIZE = cases(32_768, 65_536);

const repeated = ([before, unit, after]: readonly [string, string, string], size: number): string =>
  before + unit.repeat(Math.ceil(size / unit.length)) + after;

it.each(REPEATED)(
  '%j, %j again and again, %j: takes time in proportion to its length',
  (...row) => {
    for (const way of WAYS) expectLinear((size) => way(repeated(row, size)), SIZE);
  },
);

it('long prose takes no longer than its share', () => {
  const part =
    '# A title\n\nSome *text* with `code`, a [link](a.md) <b>and</b> more, @me.\n\n- one\n- two\n\n';
  const text = (size: number): string => part.repeat(Math.ceil(size / part.length));
  for (const way of WAYS) expectLinear((size) => way(text(size)), cases(262_144, 1_000_000));
});

const SEEDS = 1000;
/**
 * Definitions of links, each with a quote below it that opens an HTML comment: markdown-it reads each up to the end, which shows in
 * long texts. At 65,536 characters, it takes a seventh of a second.
 */
const OF_MARKDOWN_IT = new Set([178, 607]);

it(`${SEEDS} random texts take time in proportion to their length`, () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { unit, text } = randomRepetition(seed);
    try {
      const size = OF_MARKDOWN_IT.has(seed) ? Math.min(SIZE, 32_768) : SIZE;
      for (const way of WAYS) expectLinear((length) => way(text(length)), size);
    } catch (error) {
      throw new Error(`seed ${seed}, ${JSON.stringify(unit)}`, { cause: error });
    }
  }
}, 900_000);

// What GitHub's own renderer of Markdown shows of texts that a seed puts together from what hides, and
// what breaks that again. HTML is not among it: the renderer passes that on.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { visible } from '../../src/lib/visible.ts';
import { numbers } from './mixes.ts';

const RENDERER = '/usr/bin/cmark-gfm';
const OPTIONS = '--unsafe -e footnotes -e table -e strikethrough'.split(' ');
const MARKER = 'Zebrafish';
const FENCE = '```';

/** The marker is followed by a word: alone it could be an address, and addresses are kept. */
const HIDING: readonly string[] = [
  `${MARKER} word `,
  `"${MARKER} word"`,
  `'${MARKER} word'`,
  ` (${MARKER} word)`,
  `[t](http://l "${MARKER} word")`,
  `![alt ${MARKER}](http://i)`,
  `![${MARKER} word][r]`,
  `${FENCE}x ${MARKER}\n`,
  `| a | b |\n|---|---|\n| 1 | 2 | ${MARKER} |\n`,
];
const SIGNS =
  '[^1]|[^1]: |[^2]|[^2]: |[r]|[see][r]|[r]: http://a |[r]: <http://b> |`|\\|*|[|] |: |> |- |1. |    |  |\t|"|# |word ';
const LINES = [`${FENCE}\n`, '[r]:\n', 'http://c\n', '---\n', '\n', '\n', '\n\n', '\n\n'];
const PIECES = [...HIDING, ...SIGNS.split('|'), ...LINES];

function textOf(seed: number): string {
  const next = numbers(seed);
  const pick = (): string => PIECES[Math.floor(next() * PIECES.length)] ?? '';
  return Array.from({ length: 3 + Math.floor(next() * 14) }, pick).join('');
}

const markers = (text: string): number => text.split(MARKER).length - 1;

/** How often the marker is in what a reader sees: not in tags, which hold addresses, titles and descriptions. */
function shownMarkers(text: string): number {
  const { stdout, status } = spawnSync(RENDERER, OPTIONS, { input: text, encoding: 'utf8' });
  expect(status).toBe(0);
  return markers(stdout.replaceAll(/<[^>]*>/g, ''));
}

/** Texts of which more is left than GitHub shows, of so many from a seed on. */
function leaks(seed: number, count: number): readonly string[] {
  const texts = Array.from({ length: count }, (_, index) => textOf(seed + index));
  return texts.filter((text) => {
    const left = markers(visible(text));
    return left > 0 && left > shownMarkers(text);
  });
}

/** The tests, in groups of a thousand texts at most. */
export function describeRendered(seed: number, count: number): void {
  const canRender = existsSync(RENDERER);
  describe('beside the renderer of GitHub', () => {
    it('can be tested here', () => {
      if (!canRender) process.stderr.write(`skipped: there is no ${RENDERER}\n`);
      expect(canRender || process.env['CI'] === undefined).toBe(true);
    });

    const test = canRender ? it : it.skip;
    test('no more is left of a text than it shows', () => {
      expect(leaks(seed, count)).toEqual([]);
    }, 600_000);
  });
}

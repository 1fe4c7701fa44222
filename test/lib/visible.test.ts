import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hiddenIn, visible } from '../../src/lib/visible.ts';
import { DRAWN } from './hostile-drawings.ts';
import { READ } from './hostile-texts.ts';
import { INNOCENT } from './innocent-texts.ts';
import { hostile } from './support.ts';

const FENCE = '```';

describe('what a model is shown of a text', () => {
  it.each([...READ, ...DRAWN])('is without %s', (_attack, text, cleaned) => {
    expect(visible(text)).toBe(cleaned);
    expect(visible(cleaned)).toBe(cleaned);
  });

  it.each(INNOCENT)('is all of it: %s', (_what, text) => {
    expect(visible(text)).toBe(text);
    expect(hiddenIn(text)).toEqual([]);
  });

  it('keeps names, references, and what only looks like markup', () => {
    const text = 'Use @octokit/rest, fixes #3, <?php, a <!-- b, and &#64;x.';
    expect(visible(text)).toBe(text);
    expect(visible(`${FENCE}\n<!-- a -->\n${FENCE}\n`)).toContain('<!-- a -->');
    expect(visible('Add `<!-- a -->` to `<b>`.')).toBe('Add `<!-- a -->` to `<b>`.');
  });

  it('keeps the words between tags that GitHub drops, and types as people write them', () => {
    expect(visible('<rules>Use tabs.</rules>')).toBe('Use tabs.');
    expect(visible('An Array<string> or Promise<void>, but a <void>.')).toBe(
      'An Array<string> or Promise<void>, but a .',
    );
  });

  it.each([
    '\\`<!-- a -->`',
    '``<!-- a -->`',
    '<i title="`"> <!-- a --> <i title="`">',
    '`\n<!-- a -->\n`',
    '| x | y |\n|---|---|\n| ` | <!-- a --> ` |',
    '<!-- ` --> x ` <!-- a -->`',
    `<pre>\n${FENCE}\n</pre>\n<!-- a -->\n${FENCE}`,
    `<!--\n${FENCE}\n-->\n<!-- a -->\n${FENCE}`,
    `- ${FENCE}\n- <!-- a -->\n- ${FENCE}`,
    `> ${FENCE}\n<!-- a -->\n> ${FENCE}`,
  ])('is not what only seems to be code: %s', (text) => {
    expect(visible(text)).not.toContain('a -->');
  });
});

describe('what people do not see of a text', () => {
  it('is told by kind, with its number and its beginning', () => {
    expect(hiddenIn('a<!-- one -->b<!-- two -->\u200B![three](x)')).toEqual([
      { kind: 'HTML comment', count: 2, excerpt: '<!-- one --> <!-- two -->' },
      { kind: 'description of an image', count: 1, excerpt: 'three' },
      { kind: 'invisible character', count: 1, excerpt: '\u200B' },
    ]);
  });

  it('is told in short', () => {
    const [comment] = hiddenIn(`<!-- ${'x'.repeat(10_000)} -->`.repeat(20));
    expect(comment).toMatchObject({ count: 20 });
    expect(comment?.excerpt.length).toBeLessThan(1100);
  });
});

describe('any text', () => {
  it('shows nothing less the second time', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = visible(text);
        expect(visible(once)).toBe(once);
        expect(once).not.toMatch(/[\u200B\u202E\uFFA0]|[\u{E0041}]/u);
      }),
      { numRuns: 1500 },
    );
  });

  it('is readable in the end, however deep its markup is', () => {
    const deep = `${'<!'.repeat(50)}-- a ${'-->'.repeat(50)}`;
    expect(visible(visible(deep))).toBe(visible(deep));
  });
});

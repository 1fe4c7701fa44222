import { describe, expect, it } from '@jest/globals';
import { readHtml } from '../../../src/github/text/index.ts';
import { DRAWN } from '../../lib/hostile-drawings.ts';
import { READ } from '../../lib/hostile-texts.ts';
import { INNOCENT } from '../../lib/innocent-texts.ts';
import { deep, mix } from '../../lib/mixes.ts';
import {
  hasCmark,
  renderAhead,
  renderedByCmark,
  renderedLocally,
  renderedUnsafely,
} from '../../support/rendered-markdown.ts';
import { HIDDEN_FORMS } from './hidden-forms.ts';
import { visibleWords } from './visible-words.ts';

type Render = (text: string) => string;

const RENDERERS: [name: string, render: Render][] = [
  ['the local GitHub', renderedLocally],
  ...(hasCmark
    ? ([
        ['cmark-gfm', renderedByCmark],
        ['cmark-gfm with all of its HTML', renderedUnsafely],
      ] as [string, Render][])
    : []),
];

/** Rows that a renderer shows to people are no leak; it says so itself. */
const leaks = (text: string, render: Render): boolean => {
  const html = render(text);
  return readHtml(html).body.includes('SECRET') && !visibleWords(html).includes('SECRET');
};

const HIDDEN = [...READ, ...DRAWN, ...HIDDEN_FORMS].map(([form, text]) => [form, text] as const);

renderAhead([...HIDDEN, ...INNOCENT].map(([, text]) => text));

const words = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]{2,}/gu) ?? [];

describe.each(RENDERERS)('as %s shows it', (_name, render) => {
  it.each(HIDDEN)('a text is read without %s', (_what, text) => {
    expect(leaks(text, render)).toBe(false);
  });

  it.each(INNOCENT)('all that people see is read: %s', (_what, text) => {
    const html = render(text);
    const shown = readHtml(html).body;
    const lost = words(visibleWords(html)).filter((word) => !shown.includes(word));
    expect(lost).toEqual([]);
  });
});

describe('ways of hiding, one in another,', () => {
  const SEEDS = Array.from({ length: 500 }, (_none, index) => index + 1);

  /** Whether the marker is read although it is invisible. */
  const isLeaked = (text: string): boolean => {
    const html = renderedLocally(text);
    return readHtml(html).body.includes('Zebrafish') && !visibleWords(html).includes('Zebrafish');
  };

  it('show the model nothing that people do not see', () => {
    const texts = SEEDS.flatMap((seed) => [mix(seed).text, deep(seed, 12)]);
    expect(texts.filter(isLeaked)).toEqual([]);
  });

  it('lose nothing that people see before them', () => {
    const lost = SEEDS.map((seed) => mix(seed)).filter(
      ({ text, shown }) => !readHtml(renderedLocally(text)).body.includes(shown),
    );
    expect(lost).toEqual([]);
  });
});

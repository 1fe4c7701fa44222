// Secrets that are split by what nobody sees once a text is rendered: markup, comments, entities, invisible characters.
import { describe, expect, it } from '@jest/globals';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { createRedactor, REDACTED } from '../../../src/lib/text/redact.ts';
import { oneLine, type Body } from '../../../src/session/texts/markdown.ts';
import { cases } from '../../support/cases.ts';
import { asGitHubShows, published } from '../../support/publishing.ts';
import { hasCmark, renderAhead, renderedByCmark } from '../../support/rendered-markdown.ts';
import { INNOCENT } from '../../lib/innocent-texts.ts';
import { numbers } from '../../lib/mixes.ts';

const SEEDS = cases(1000, 5000);
const LETTERS = 'ABCDEFGHJKMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz23456789';

/** Each renders to nothing between two letters. */
const UNSEEN: readonly string[] = [
  '<b></b>',
  '<i></i >',
  '<sub></sub>',
  '<span title="x"></span>',
  '<b title=">"></b>',
  '<kbd\n></kbd>',
  '<wbr>',
  '<!-- -->',
  '<!-- a -- b -->',
  '<!---->',
  '<?x?>',
  '<!X y>',
  '&shy;',
  '&#8203;',
  '&#x200B;',
  '&zwnj;',
  '\u200B',
  '\u2060',
  '\u00AD',
  '\u{E0041}',
  '[](#x)',
  '![](docs/x.png)',
];

/** What is around a part of it renders to that part. */
const AROUND: readonly (readonly [string, string])[] = [
  ['**', '**'],
  ['*', '*'],
  ['~~', '~~'],
  ['`', '`'],
  ['``', '``'],
  ['<b>', '</b>'],
  ['<em title="a">', '</em>'],
  ['<code>', '</code>'],
  ['[', '](#x)'],
  ['[', '](docs/x.md "title")'],
  ['***', '***'],
  ['*_', '_*'],
  ['<u><b>', '</b></u>'],
];

/** One letter, written otherwise. */
const OTHERWISE: readonly ((letter: string) => string)[] = [
  (letter) => `&#${letter.charCodeAt(0)};`,
  (letter) => `&#x${letter.charCodeAt(0).toString(16)};`,
  (letter) => (/[_.-]/.test(letter) ? `\\${letter}` : letter),
];

interface Hidden {
  readonly secret: string;
  readonly written: string;
}

function hiddenSecret(seed: number): Hidden {
  const next = numbers(seed);
  const below = (many: number): number => Math.floor(next() * many);
  const pick = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const letters = (many: number): string =>
    Array.from({ length: many }, () => LETTERS.charAt(below(LETTERS.length))).join('');
  const secret = pick([
    () => `ghp_${letters(36)}`,
    () => `github_pat_${letters(22)}_${letters(30)}`,
    () => `glpat-${letters(20)}`,
    () => KNOWN,
    () => KNOWN_TOO,
  ])();
  const parts: string[] = [];
  let rest = secret;
  for (let cuts = 1 + below(4); cuts > 0 && rest.length > 2; cuts -= 1) {
    const at = 1 + below(rest.length - 1);
    parts.push(rest.slice(0, at));
    rest = rest.slice(at);
  }
  parts.push(rest);
  const dressed = parts.map((part) => {
    const way = below(4);
    const [open, close] = pick(AROUND);
    if (way === 0) return `${open}${part}${close}`;
    if (way === 1) return pick(OTHERWISE)(part.charAt(0)) + part.slice(1);
    return part;
  });
  const written = dressed.map((part, index) => (index === 0 ? part : pick(UNSEEN) + part)).join('');
  return { secret, written: below(2) === 0 ? written : dressed.join(pick(UNSEEN)) };
}

const KNOWN = 'Correct2horse7battery4staple';
const KNOWN_TOO = 'tok_9f8e7d6c-5b4a_Zz.1';
const redactor = createRedactor([KNOWN, KNOWN_TOO]);

type Node = DefaultTreeAdapterTypes.ChildNode;

/** All words of a rendering, without a gap: what a reader of the page can copy. */
function wordsOf(html: string): string {
  let text = '';
  const left: Node[] = parseFragment(html).childNodes.toReversed();
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('value' in node) text += node.value;
    if ('tagName' in node) left.push(...node.childNodes.toReversed());
  }
  return text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Of what a reader puts together: without the signs of Markdown. */
const bare = (text: string): string => text.replaceAll(/[*`~_\\[\]]/g, '');

const isReadable = (html: string, secret: string): boolean =>
  wordsOf(html).includes(secret) || bare(wordsOf(html)).includes(bare(secret));

const HIDDEN = Array.from({ length: SEEDS }, (_, seed) => hiddenSecret(seed + 1));
const PLACES: readonly (readonly [what: string, body: (text: string) => Body])[] = [
  ['a text of a model', (text) => [{ text: `So: ${text} is it.`, isQuoted: false }]],
  ['a quotation', (text) => [{ text: `So: ${text} is it.`, isQuoted: true }]],
  ['our own words', (text) => [`- ${oneLine(text)}`]],
  ['a block of code', (text) => [{ code: text, language: 'text' }]],
];

describe('a secret that is split by what nobody sees', () => {
  it('can be read in the rendering of most of these texts, if nothing is done', () => {
    const readable = HIDDEN.filter(({ secret, written }) =>
      isReadable(asGitHubShows(written), secret),
    );
    expect(readable.length).toBeGreaterThan(SEEDS * 0.6);
  });

  it.each(PLACES)(`never reaches GitHub in %s (${SEEDS} seeds)`, async (_what, bodyOf) => {
    const outputs: { readonly seed: number; readonly secret: string; readonly text: string }[] = [];
    for (const [index, { secret, written }] of HIDDEN.entries())
      outputs.push({
        seed: index + 1,
        secret,
        text: await published(bodyOf(written), { redactor }),
      });
    if (hasCmark) renderAhead(outputs.map(({ text }) => text));
    const renderers = hasCmark ? [asGitHubShows, renderedByCmark] : [asGitHubShows];
    const found = outputs.filter(({ secret, text }) =>
      renderers.some((render) => isReadable(render(text), secret)),
    );
    expect(found.slice(0, 5)).toEqual([]);
  });

  it('is hidden from whoever reads the result of a tool', () => {
    const hidden = (text: string): string => asGitHubShows(redactor.redact(text));
    const found = HIDDEN.filter(
      ({ secret, written }) =>
        isReadable(asGitHubShows(written), secret) && isReadable(hidden(written), secret),
    );
    // What only a renderer can tell: a `>` within an attribute, for example.
    expect(found.filter(({ written }) => !/title=">"|<\?|<!X|<kbd/.test(written))).toEqual([]);
  });
});

describe('looking through markup', () => {
  it.each(INNOCENT)('changes nothing in %s', (_what, text) => {
    expect(redactor.redact(text)).toBe(text);
  });

  it.each([
    '*_glpat_*-NVKBXD7P2HXK98hedTvy',
    '*_glpat-dx3RrKYR6MvCKvb_*Y*_f_*eQA',
    '__gl__<wbr>pat-NVKBXD7P2HXK98hedTvy',
    '*_glpat<b title="_ a_"></b>_*-NVKBXD7P2HXK98hedTvy',
    'gh*_p_*_NVKBXD7P2HXK98hedTvyNVKBXD7P2HXK98he',
    'npm_*_NVKBXD_*7P2HXK98hedTvyNVKBXD7P2HXK98he',
    '_`npm`_*_NVKBXD7P2HXK98hedTvyNVKBXD7P2HXK98he*',
  ])('leaves out the underscores of emphasis only: %s', (text) => {
    expect(redactor.redact(text).replaceAll(REDACTED, '')).toMatch(/^[*_`]*$/);
  });

  it.each([
    'def __init__(self, _ASIA_PACIFIC_REGIONS): # _AKIA_ and __hf__',
    'ASIA_PACIFICREGIONABC and _ASIA_PACIFICREGIONABC_',
    '`sk_live`_ and `_npm_config_registry_` and whsec_',
  ])('takes no underscores of names for emphasis: %s', (text) => {
    expect(redactor.redact(text)).toBe(text);
  });

  it('hides the markup with the secret, and shows both again', () => {
    const text = `a Correct2<b>horse</b>7battery4**staple** b`;
    const { text: shown, hidden } = redactor.hide(text);
    expect([shown, hidden]).toEqual([
      `a ${REDACTED}** b`,
      ['Correct2<b>horse</b>7battery4**staple'],
    ]);
  });
});

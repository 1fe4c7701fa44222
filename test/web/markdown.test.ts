import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { inlineMarkdown, markdown } from '../../src/web/pages/markdown.ts';

type Node = DefaultTreeAdapterTypes.Node;

const ELEMENTS = new Set(
  'div p strong em s code pre ul ol li blockquote table thead tbody tr th td br hr'.split(' '),
);

/** Each element with its attributes. */
function* elementsIn(node: Node): Generator<readonly [string, Record<string, string>]> {
  if ('tagName' in node)
    yield [node.tagName, Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))];
  if ('childNodes' in node) for (const child of node.childNodes) yield* elementsIn(child);
}

const isHarmless = ([name, attributes]: readonly [string, Record<string, string>]): boolean =>
  ELEMENTS.has(name) &&
  Object.entries(attributes).every(
    ([attribute, value]) =>
      (name === 'div' && attribute === 'class' && value === 'markdown') ||
      (name === 'li' && attribute === 'class' && value === 'task') ||
      (name === 'ol' && attribute === 'start' && /^\d+$/.test(value)),
  );

const harmful = (text: string) =>
  [markdown(text), inlineMarkdown(text)].flatMap((page) =>
    [...elementsIn(parseFragment(page.text))].filter((one) => !isHarmless(one)),
  );

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '![a](https://evil.example/a.png)',
  '[a](https://evil.example)',
  '[a](javascript:alert(1))',
  '<https://evil.example>',
  'https://evil.example',
  '[a]: https://evil.example "t"\n\n[a]',
  '# Title',
  'a\n===',
  '| a |\n|:-:|\n| b |',
  '~~~js" onload="x\na\n~~~',
  '<!-- hidden -->',
  '- [x] <b>a</b>',
  '`<i>`',
  '&lt;b&gt;',
  '</div></main>',
  '1. a\n\n   ```\n   <b>\n   ```',
];

/** Some of the signs that nobody sees. */
const UNSEEN = /[\u00ad\u200b-\u200f\u2028-\u202e\u{e0000}-\u{e007f}]/u;

describe('Markdown of a model', () => {
  it('has no sign that nobody sees, whatever entity makes one', () => {
    for (let code = 1; code < 0x3000; code += 1)
      for (const text of [`a&#${code};b`, `a&#x${code.toString(16)};b`])
        expect(markdown(text).text).not.toMatch(UNSEEN);
    for (const { text } of [
      markdown('> \u202e\u2028'),
      inlineMarkdown('&#x202e;`\u2066`\u{e0041}'),
    ])
      expect(text).not.toMatch(UNSEEN);
  });

  it.each(HOSTILE)('has no element but those of plain formatting: %s', (text) => {
    expect(harmful(text)).toEqual([]);
  });

  it('has none in any mix either', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...HOSTILE,
        '\n',
        '\n\n',
        '> ',
        '- ',
        '**',
        '`',
        '```\n',
        '    ',
        '<',
        '"',
        '\u202e',
      ),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(harmful(pieces.join(''))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [
      '[a label](https://evil.example/x "and a title")',
      ['a label', 'https://evil.example/x', 'and a title'],
    ],
    ['![an image](https://evil.example/x)', ['an image', 'https://evil.example/x']],
    ['[a]: https://evil.example "words"\n\nMore.', ['https://evil.example', 'words', 'More.']],
    ['a <!-- comment --> b', ['comment']],
    ['a\u202eb\u200bc\u2028d', ['⟨U+202E⟩', '⟨U+200B⟩', '⟨U+2028⟩']],
    ['&#x202e;a&#8203;b', ['⟨U+202E⟩', '⟨U+200B⟩']],
    ['&lrm;&rlm;&zwnj;&shy;x&ZeroWidthSpace;', ['⟨U+200E⟩⟨U+200F⟩⟨U+200C⟩⟨U+00AD⟩x⟨U+200B⟩']],
    ['**&#xE0041;c**', ['<strong>⟨U+E0041⟩c</strong>']],
    ['`\u202e` and\n\n```\n\u202e\n```', ['<code>⟨U+202E⟩</code>', '<pre>⟨U+202E⟩</pre>']],
    ['- [x] &#8203;a', ['☑ ⟨U+200B⟩a']],
  ])('hides nothing of %s', (text, words) => {
    for (const part of words) expect(markdown(text).text).toContain(part);
  });

  it.each([
    ['**bold** and *italic*', '<p><strong>bold</strong> and <em>italic</em></p>'],
    ['one\ntwo', '<p>one<br>\ntwo</p>'],
    ['## A heading', '<p><strong>A heading</strong></p>'],
    [
      '- [ ] open\n- [X] done\n- [x]no task',
      '<li class="task">☐ open</li>\n<li class="task">☑ done</li>\n<li>[x]no task</li>',
    ],
    ['[x] no list', '<p>[x] no list</p>'],
    ['| a |\n|--:|\n| b |', '<th>a</th>'],
    ['`a < b`', '<code>a &lt; b</code>'],
  ])('is rendered: %p', (text, expected) => {
    expect(markdown(text).text).toContain(expected);
  });

  it.each([
    [
      'a wide table with short rows',
      `${'|a'.repeat(100)}|\n${'|-'.repeat(100)}|\n${'b\n'.repeat(9000)}`,
    ],
    ['a table of 20 columns', `${'|a'.repeat(20)}|\n${'|-'.repeat(20)}|\n${'b\n'.repeat(500)}`],
    ['lists in lists', '- '.repeat(9000)],
    ['quotations in quotations', '> '.repeat(9000)],
    ['a quotation of lists', '> - a\n'.repeat(3000)],
    ['emphasis', '*a **b '.repeat(2800)],
    ['one-letter items', '* a\n\n'.repeat(4000)],
    ['empty code', '`` ` ``'.repeat(2800)],
    ['rules', '---\n'.repeat(5000)],
    ['signs that nobody sees', '\u202e'.repeat(19_000)],
    ['quotation marks', '"'.repeat(19_000)],
    ['entities', '&lrm;'.repeat(3900)],
    ['a text that is too long', '**a** '.repeat(9000)],
    ['a long line', 'a'.repeat(1_000_000)],
  ])('makes no long page of a short text: %s', (_what, text) => {
    for (const render of [markdown, inlineMarkdown])
      expect(render(text).text.length).toBeLessThan(10 * text.length + 2_100);
  });

  it('shows a table that people write as a table, with cells that are missing', () => {
    const rows = Array.from({ length: 40 }, (_row, at) => `| row ${at} | is | here`).join('\n');
    const { text } = markdown(`| a | b | c | d |\n|---|---|---|---|\n${rows}`);
    expect(text.match(/<td>/g)).toHaveLength(160);
  });
});

it.each(['>', '- ', '1. '])('shows what is nested deeper than anyone reads, as %j', (sign) => {
  expect(markdown(`${sign.repeat(300)}the end`).text).toContain('the end');
});

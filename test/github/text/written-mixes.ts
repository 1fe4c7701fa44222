// Texts as a hostile model could write them, put together by a seed from all that acts on GitHub, and what breaks
// that apart again.
import { numbers } from '../../lib/mixes.ts';

const FENCE = '```';

const ACTS: readonly string[] = [
  '@someone',
  '@example/everyone',
  '@me',
  '&#64;someone',
  '&commat;someone',
  'fixes #1',
  'closes: example/other#2',
  'resolves https://github.com/o/r/issues/3',
  'Fixes',
  '#7',
  'GH-3',
  'https://evil.example/x',
  'https://github.com/o/r',
  'https://github.com@evil.example',
  'https&colon;//evil.example',
  'www.evil.example',
  '//evil.example/a.png',
  '/\\evil.example',
  'mailto:a@evil.example?subject=x',
  'a@example.com',
  'javascript:alert(1)',
  '<https://evil.example>',
  '<img src="https://evil.example/a.png">',
  '<img src=//evil.example/a.png>',
  '<a href="https://evil.example">',
  '<a href=" //evil.example">a</a>',
  '<picture><source srcset="https://evil.example/a"></picture>',
  '<video src="https://evil.example/a">',
  '<b title="',
  '<!-- issuewright:1:status -->',
  '<!--',
  '-->',
  '<?x ',
  '<![CDATA[',
  `${FENCE}mermaid\nclick A "https://evil.example"\n${FENCE}`,
  `${FENCE}math\n\\href{https://evil.example}{x}\n${FENCE}`,
  '$\\href{//evil.example}{x}$',
  '![x](https://evil.example/a.png)',
  '[x](https://evil.example)',
  '![x][r]',
  '[x][r]',
  '[r]',
  '[r]: https://evil.example/a.png',
  '[r]: //evil.example/a.png',
  '[r]: <//evil.example>',
  '[r]:\n',
  '[^1]',
  '[^1]: ',
];
const SIGNS =
  '`|``|\\`|*|_|**|~~|[|]|](|![|)|(|<|>|"|\'|&|;|:|//|.|\\|#| |    |\t|> |- |1. |# |-|@|a|word |$|\\||&lt;|&nbsp;|\0|\u200B|\u202E|\uFE0F'.split(
    '|',
  );
const LINES = [
  '\n',
  '\n',
  '\n\n',
  `\n${FENCE}\n`,
  '\n~~~\n',
  '\n---\n',
  '\n| a | b |\n|---|---|\n| ',
  ' |\n',
  '<details>\n\n',
  '\n</details>\n',
  '<div>\n',
  '</div>\n',
  '<pre>\n',
  '\r',
];
const PIECES = [...ACTS, ...SIGNS, ...LINES];

export function writtenMix(seed: number): string {
  const next = numbers(seed);
  const pick = (from: readonly string[]): string => from[Math.floor(next() * from.length)] ?? '';
  const length = 3 + Math.floor(next() * 14);
  return Array.from({ length }, () => pick(next() < 0.3 ? ACTS : PIECES)).join('');
}

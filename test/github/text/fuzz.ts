// Texts that a seed puts together from what hides and what breaks that again, rendered by cmark-gfm. What
// is read of them is compared with what another reader of the HTML says is visible.
import { readHtml } from '../../../src/github/text/index.ts';
import { numbers } from '../../lib/mixes.ts';
import { renderedByCmark } from '../../support/rendered-markdown.ts';
import { visibleWords } from './visible-words.ts';

const MARKER = 'Zebrafish';
const FENCE = '```';

const HIDING: readonly string[] = [
  `${MARKER} word `,
  `"${MARKER} word"`,
  ` (${MARKER} word)`,
  `[t](http://l "${MARKER} word")`,
  `![alt ${MARKER}](http://i)`,
  `![${MARKER} word][r]`,
  `${FENCE}x ${MARKER}\n`,
  `| a | b |\n|---|---|\n| 1 | 2 | ${MARKER} |\n`,
  `<!-- ${MARKER} -->`,
  `<!x ${MARKER}>`,
  `<?x ${MARKER}?>`,
  `<b title="${MARKER}">word</b>`,
  `<a href="http://l/?${MARKER}"></a>`,
  `<script>${MARKER}</script>`,
  `<svg><title>${MARKER}</title></svg>`,
  `${FENCE}mermaid\n${MARKER}\n${FENCE}\n`,
  `[${MARKER}]: <>\n`,
  `[//]: # (${MARKER})\n`,
];
const SIGNS =
  '[^1]|[^1]: |[^2]|[^2]: |[r]|[see][r]|[r]: http://a |`|\\|*|[|] |: |> |- |1. |    |  |\t|"|# |word |<|>|<!--|-->|<div>|</div>|<pre>|</pre>|<b |\\`|~~|<sub>|</sub>|<details>|&lt;|@word |<?|?>|]]>|<![CDATA[';
const LINES = [`${FENCE}\n`, '[r]:\n', 'http://c\n', '---\n', '\n', '\n', '\n\n', '\n\n', '~~~\n'];
const PIECES = [...HIDING, ...SIGNS.split('|'), ...LINES];

function textOf(seed: number): string {
  const next = numbers(seed);
  const pick = (): string => PIECES[Math.floor(next() * PIECES.length)] ?? '';
  return Array.from({ length: 3 + Math.floor(next() * 16) }, pick).join('');
}

const wordsOf = (text: string): readonly string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
const count = (text: string): number => text.split(MARKER).length - 1;

export interface Findings {
  /** Texts of which more is read than people see. */
  readonly leaks: string[];
  /** Texts of which less is read than people see. */
  readonly losses: string[];
  shown: number;
  lost: number;
}

/** As many texts as asked for, from a seed on. */
export function fuzz(seed: number, texts: number): Findings {
  const found: Findings = { leaks: [], losses: [], shown: 0, lost: 0 };
  for (let at = seed; at < seed + texts; at += 1) {
    const text = textOf(at);
    const html = renderedByCmark(text);
    const visible = visibleWords(html);
    const { body } = readHtml(html);
    // The address of a link with visible words is read on purpose.
    const words = body.replaceAll(/\]\([^)\n]*\)/g, ']');
    if (count(words) > count(visible)) found.leaks.push(text);
    const left = new Map<string, number>();
    for (const word of wordsOf(body)) left.set(word, (left.get(word) ?? 0) + 1);
    const shown = wordsOf(visible);
    const lost = shown.filter((word) => {
      const rest = left.get(word) ?? 0;
      left.set(word, rest - 1);
      return rest <= 0;
    });
    found.shown += shown.length;
    found.lost += lost.length;
    if (lost.length > 0) found.losses.push(text);
  }
  return found;
}

import type { ShownText } from '../../contracts/shown-text.ts';
import { CUT, NOTHING_SAID, type OwnWords } from '../../session/said/asks.ts';
import { markdownOf } from './markdown.ts';
import { treeOf } from './tree.ts';
import { roleOf } from './html-node.ts';
import { replaceUnseen } from '../../lib/text/invisible.ts';
import { FOOTNOTES, isBlock, type Element, type TextPiece, type ImagePlace } from './pieces.ts';

/** What a person sees of a text on GitHub, and what its author says in it. */
export interface VisibleText extends Omit<ShownText, 'images'> {
  readonly images: readonly ImagePlace[];
  readonly said: OwnWords;
  /** It was deleted by now, and is shown as it was. */
  readonly isGone?: true;
}

export const NOTHING_SHOWN: VisibleText = { body: '', images: [], said: NOTHING_SAID };

/** Reads what GitHub's own rendering of a text shows. Takes time in proportion to its length. */
export function readHtml(html: string, source = ''): VisibleText {
  const tree = treeOf(html);
  const { body, images } = markdownOf(tree);
  const hidden = hiddenWords(source, body);
  return { body, ...(hidden === '' ? {} : { hidden }), images, said: saidIn(tree) };
}

// The words of a text's source that people do not see, for the session page.

/** Characters of what is told. */
const LONGEST = 500;
/** A word, with the sign that makes it the name of an element or of a character. */
const WORD = /(?<sign><\/?|&#?)?(?<word>[\p{L}\p{N}]+)/gu;

const wordsInText = (text: string): readonly string[] =>
  [...text.matchAll(WORD)].flatMap(({ groups }) => {
    const { sign, word = '' } = groups ?? {};
    const isMarkup =
      sign?.startsWith('&') === true || (sign !== undefined && roleOf(word) !== undefined);
    return isMarkup ? [] : [word];
  });

/** In their order, in short; empty if people see all of them. */
function hiddenWords(source: string, shown: string): string {
  const left = new Map<string, number>();
  for (const word of wordsInText(shown)) left.set(word, (left.get(word) ?? 0) + 1);
  let hidden = '';
  for (const word of wordsInText(source)) {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    else if (hidden.length < LONGEST) hidden += `${hidden === '' ? '' : ' '}${word}`;
  }
  return hidden.slice(0, LONGEST);
}

// What the person who wrote a text says themselves: words in paragraphs, items, headings and rows, but
// not in code, a quotation, a link, or strikethrough.

/** What precedes the first line of a block. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, '# '] as const),
  ['tr', '| '],
]);

/** Blocks that contain what the author says. */
const SAYS: ReadonlySet<string> = new Set(
  `p div section article h1 h2 h3 h4 h5 h6 ul ol li details summary dl dt dd table thead tbody tfoot tr th td
  markdown-accessiblity-table markdown-accessibility-table task-lists b strong i em ins mark small span sub
  sup u`.split(/\s+/),
);

/** Inline elements of which the words are said. */
const SPOKEN: ReadonlySet<string> = new Set(
  'abbr b bdo big br dfn em g-emoji i ins mark small span strong sub sup time u'.split(' '),
);

interface Line {
  readonly text: string;
  readonly mark: string;
}

function saidIn(root: Element): OwnWords {
  const said: Line[] = [];
  const hasMore = speak(root, '', said);
  const all = said
    .flatMap(({ text, mark }) =>
      text.split('\n').map((line, at) => (at === 0 ? mark : '') + line.trim()),
    )
    .map((line) => line.trimEnd())
    .filter((line) => /[^\s|#.*\d-]/.test(line) || /\d/.test(line));
  const lines = all.map((line) => line.replaceAll(REFERENCE, CUT));
  const named = all.map((line) => line.replaceAll(REFERENCE, '$1'));
  const references = named.filter((line) => /#\d/.test(line));
  return { lines, hasMore, ...(references.length === 0 ? {} : { references }) };
}

/** A number that GitHub shows as a link to an issue of the same repository, until the lines are there. */
const REFERENCE = new RegExp(String.raw`${CUT}(#\d{1,9})${CUT}`, 'g');
const NUMBER = /^#\d{1,9}$/;

/** Adds the lines of an element; whether there is anything besides. */
function speak({ name, children, firstNumber = 1 }: Element, mark: string, lines: Line[]): boolean {
  let hasMore = false;
  let inline = '';
  let next = mark;
  let number = firstNumber - 1;
  const end = (): void => {
    if (inline.trim() !== '') {
      lines.push({ text: inline.trim(), mark: next });
      next = '';
    }
    inline = '';
  };
  for (const piece of children) {
    if (!isBlock(piece)) {
      inline += wordsIn(piece);
      continue;
    }
    if (name === 'tr' && piece.kind === 'element') {
      inline += `${rowWords(piece)} | `;
      continue;
    }
    end();
    if (piece.kind !== 'element' || !speaks(piece)) {
      hasMore = true;
      continue;
    }
    let own = MARKS.get(piece.name) ?? next;
    if (piece.name === 'li') {
      number += 1;
      own = name === 'ol' ? `${number}. ` : '- ';
    }
    hasMore = speak(piece, own, lines) || hasMore;
    if (lines.length > 0) next = '';
  }
  end();
  return hasMore;
}

const rowWords = (cell: Element): string => {
  const lines: Line[] = [];
  speak(cell, '', lines);
  return lines.map(({ text }) => text.replaceAll('\n', ' ')).join(' ');
};

const speaks = ({ name, mark }: Element): boolean =>
  SAYS.has(name) && (mark === undefined || mark === FOOTNOTES);

function wordsIn(piece: TextPiece): string {
  switch (piece.kind) {
    case 'text':
      return replaceUnseen(piece.text, () => ' ').replaceAll(/[ \t\n\f\r]+/g, ' ');
    case 'break':
      return '\n';
    case 'picture':
      return piece.word ?? CUT;
    case 'formula':
      return CUT;
    case 'element':
      return elementWords(piece);
    case 'checkbox':
    case 'code':
    case 'rule':
    case 'breakable':
      return '';
    default:
      return piece satisfies never;
  }
}

function elementWords({ name, children, link }: Element): string {
  if (link?.kind === 'footnote') return '';
  if (link?.kind === 'mention' || (link === undefined && SPOKEN.has(name)))
    return children.map(wordsIn).join('');
  const words = children.map(wordsIn).join('').trim();
  if (link?.kind === 'reference' && NUMBER.test(words)) return CUT + words + CUT;
  return words === '' ? '' : CUT;
}

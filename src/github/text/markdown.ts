// The tree of what a person sees, as Markdown for the model.
import { blockquote } from '../../lib/text/text.ts';
import { placed, withoutMarks, type ImagePlace } from './image-places.ts';
import { paragraph } from './inline.ts';
import { FOOTNOTES, isBlock, type Element, type Piece } from './pieces.ts';

/** A block has lines. There is no blank line between the items of a tight list. */
interface Block {
  readonly text: string;
  readonly isItem?: boolean;
}

export const markdownOf = (
  root: Element,
): { readonly body: string; readonly images: readonly ImagePlace[] } =>
  placed(joined(blocksOf(root.children)));

const joined = (blocks: readonly Block[]): string =>
  blocks.reduce(
    (text, { text: next, isItem }, at) =>
      at === 0
        ? next
        : text + (isItem === true && blocks[at - 1]?.isItem === true ? '\n' : '\n\n') + next,
    '',
  );

/** Inline pieces that follow one another are a paragraph. */
function blocksOf(pieces: readonly Piece[]): Block[] {
  const blocks: Block[] = [];
  let inline: Piece[] = [];
  const endParagraph = (): void => {
    const text = paragraph(inline);
    if (text !== '') blocks.push({ text });
    inline = [];
  };
  for (const piece of pieces) {
    if (!isBlock(piece)) {
      inline.push(piece);
      continue;
    }
    endParagraph();
    blocks.push(...blockOf(piece).filter(({ text }) => text !== ''));
  }
  endParagraph();
  return blocks;
}

function blockOf(piece: Piece): Block[] {
  switch (piece.kind) {
    case 'code':
      return [{ text: fenced(piece.text, piece.language) }];
    case 'rule':
      return [{ text: '---' }];
    case 'picture':
      return [{ text: `[${piece.of}]` }];
    case 'element':
      return elementBlocks(piece);
    case 'break':
    case 'breakable':
    case 'checkbox':
    case 'formula':
    case 'text':
      return [];
    default:
      return piece satisfies never;
  }
}

function elementBlocks(element: Element): Block[] {
  const { name, children, mark } = element;
  if (mark === 'title') return [];
  if (mark === FOOTNOTES) return footnotes(element);
  if (mark !== undefined)
    return [{ text: blockquote(`[!${mark}]\n${joined(blocksOf(children))}`) }];
  switch (name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return nonEmpty(oneLine(children), (text) => `${'#'.repeat(Number(name[1]))} ${text}`);
    case 'ul':
    case 'ol':
      return list(element);
    case 'li':
      return [{ text: item('-', element), isItem: true }];
    case 'blockquote':
      return nonEmpty(joined(blocksOf(children)), blockquote);
    case 'details':
      return nonEmpty(joined(blocksOf(children)), (text) => `<details>\n${text}\n</details>`);
    case 'summary':
      return nonEmpty(oneLine(children), (text) => `<summary>${text}</summary>`);
    case 'table':
      return [{ text: table(element) }];
    case 'dd':
      return nonEmpty(joined(blocksOf(children)), (text) => `: ${indented(text, '  ')}`);
    default:
      return blocksOf(children);
  }
}

const nonEmpty = (text: string, form: (text: string) => string): Block[] =>
  text === '' ? [] : [{ text: form(text) }];

/** Headings and cells have one line. */
const oneLine = (pieces: readonly Piece[]): string =>
  joined(blocksOf(pieces)).replaceAll(/\s+/g, ' ').trim();

const indented = (text: string, by: string): string => text.replaceAll(/\n(?=[^\n])/g, `\n${by}`);

function list({ name, children, firstNumber = 1 }: Element): Block[] {
  let number = firstNumber - 1;
  const blocks = children.flatMap((piece): Block[] => {
    if (piece.kind !== 'element' || piece.name !== 'li')
      return isBlock(piece) ? blockOf(piece) : [];
    number += 1;
    return [{ text: item(name === 'ol' ? `${number}.` : '-', piece), isItem: true }];
  });
  return [{ text: joined(blocks) }];
}

/** Words with a list below them stay close to it. */
function item(sign: string, { children }: Element): string {
  const blocks = blocksOf(children);
  const lists = children.filter((piece) => piece.kind === 'element' && isList(piece)).length;
  const isTight = blocks.length <= 2 && lists === 1;
  const text = isTight ? blocks.map((block) => block.text).join('\n') : joined(blocks);
  return `${sign} ${indented(text, ' '.repeat(sign.length + 1))}`.trimEnd();
}

const isList = ({ name }: Element): boolean => name === 'ul' || name === 'ol';

/** Each of them under its number. */
function footnotes({ children }: Element): Block[] {
  const items = children
    .flatMap((piece) => (piece.kind === 'element' && piece.name === 'ol' ? piece.children : []))
    .filter((piece) => piece.kind === 'element' && piece.name === 'li');
  return items.flatMap((piece, at) =>
    nonEmpty(
      joined(blocksOf([piece].flatMap((one) => (one.kind === 'element' ? one.children : [])))),
      (text) => `[^${at + 1}]: ${indented(text, '    ')}`,
    ),
  );
}

function table(element: Element): string {
  const parts = element.children.flatMap((piece) =>
    piece.kind === 'element' && PARTS_OF_TABLE.has(piece.name) ? piece.children : [piece],
  );
  const rows: string[] = [];
  const other: Piece[] = [];
  for (const piece of parts) {
    if (piece.kind !== 'element' || piece.name !== 'tr') {
      other.push(piece);
      continue;
    }
    const cells = piece.children.flatMap((cell) =>
      cell.kind === 'element' ? [oneLine(cell.children).replaceAll('|', '\\|')] : [],
    );
    rows.push(`| ${cells.join(' | ')} |`);
    if (rows.length === 1) rows.push(`|${' --- |'.repeat(cells.length)}`);
  }
  return [joined(blocksOf(other)), rows.join('\n')].filter((text) => text !== '').join('\n\n');
}

const PARTS_OF_TABLE: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

function fenced(code: string, language: string): string {
  const text = withoutMarks(code).replace(/\n$/, '');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

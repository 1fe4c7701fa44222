// The tree of what a person sees, as Markdown for the model.
import { blockquote } from '../../lib/text/text.ts';
import {
  imageMark,
  isImage,
  placed,
  withoutMarks,
  FOOTNOTES,
  isBlock,
  type ImagePlace,
  type Element,
  type TextPiece,
} from './pieces.ts';
import { withoutInvisible } from '../../lib/text/invisible.ts';

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
function blocksOf(pieces: readonly TextPiece[]): Block[] {
  const blocks: Block[] = [];
  let inline: TextPiece[] = [];
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

function blockOf(piece: TextPiece): Block[] {
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
const oneLine = (pieces: readonly TextPiece[]): string =>
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
  const lists = children.filter(
    (piece) => piece.kind === 'element' && (piece.name === 'ul' || piece.name === 'ol'),
  ).length;
  const isTight = blocks.length <= 2 && lists === 1;
  const text = isTight ? blocks.map((block) => block.text).join('\n') : joined(blocks);
  return `${sign} ${indented(text, ' '.repeat(sign.length + 1))}`.trimEnd();
}

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
  const other: TextPiece[] = [];
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

// Words within a block, as Markdown.

/** White space is one blank, but for the ends of lines. */
const paragraph = (pieces: readonly TextPiece[]): string =>
  pieces
    .map(inlineOf)
    .join('')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim();

const plain = (text: string): string => withoutInvisible(text).replaceAll(/[ \t\n\f\r]+/g, ' ');

function inlineOf(piece: TextPiece): string {
  switch (piece.kind) {
    case 'text':
      return plain(piece.text);
    case 'break':
      return '\n';
    case 'picture':
      if (piece.address !== undefined) return imageMark(piece.address);
      return piece.word ?? `[${piece.of}]`;
    case 'formula':
      return formula(piece.source);
    case 'checkbox':
      return piece.isChecked ? '[x] ' : '[ ] ';
    case 'element':
      return inlineElement(piece);
    case 'code':
    case 'rule':
    case 'breakable':
      return '';
    default:
      return piece satisfies never;
  }
}

type Signs = readonly [before: string, after: string];

const signed = (names: string, before: string, after = before): [string, Signs][] =>
  names.split(' ').map((name) => [name, [before, after]]);

const AROUND: ReadonlyMap<string, Signs> = new Map([
  ...signed('b strong', '**'),
  ...signed('i em dfn cite', '*'),
  ...signed('s strike del', '~~'),
  ...signed('kbd', '<kbd>', '</kbd>'),
  ...signed('sub', '<sub>', '</sub>'),
  ...signed('sup', '<sup>', '</sup>'),
  ...signed('q', '“', '”'),
  ...signed('rt', ' (', ')'),
]);

const CODE: ReadonlySet<string> = new Set(['code', 'samp', 'tt']);

function inlineElement(element: Element): string {
  const { name, children, link } = element;
  const text = children.map(inlineOf).join('');
  const words = text.trim();
  // What shows nothing is nothing, wherever it leads.
  if (words === '') return text === '' ? '' : ' ';
  if (CODE.has(name)) return inlineCode(words);
  if (link?.kind === 'footnote') return `[^${words}]`;
  if (name === 'sup' && /^\[\^\w+\]$/.test(words)) return words;
  const [before, after] = link === undefined ? (AROUND.get(name) ?? NO_SIGNS) : linked(words, link);
  const start = text.startsWith(words) ? '' : ' ';
  const end = text.endsWith(words) ? '' : ' ';
  return `${start}${before}${words}${after}${end}`;
}

const NO_SIGNS: Signs = ['', ''];

/** An address that the link's text does not show is added after it. */
function linked(words: string, { kind, address }: NonNullable<Element['link']>): Signs {
  const isShown =
    words === address || `http://${words}` === address || `mailto:${words}` === address;
  if (kind !== 'address' || address === undefined || isShown || isImage(words)) return NO_SIGNS;
  return ['[', `](${address})`];
}

function inlineCode(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const signs = '`'.repeat(longest + 1);
  const blank = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${signs}${blank}${text}${blank}${signs}`;
}

function formula(source: string): string {
  const text = plain(source).trim();
  return drawsAll(text) ? text : '[formula]';
}

// Formulas reach us as their source, which people see drawn. A source that may draw less than it says is
// not passed on.

/** Commands that draw their content, or a symbol. */
const DRAWS: ReadonlySet<string> = new Set(
  `alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi varpi rho
  varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon
  Phi Psi Omega frac dfrac tfrac binom sqrt sum prod int iint iiint oint lim limsup liminf sup inf max min
  log ln exp sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh det dim ker gcd deg arg mod bmod
  pmod cdot cdots ldots dots vdots ddots times div pm mp ast star circ bullet oplus otimes le leq ge geq lt
  gt ne neq equiv approx sim simeq cong propto in notin ni subset subseteq supset supseteq cup cap setminus
  emptyset forall exists nexists neg lnot land lor wedge vee implies iff to gets mapsto rightarrow leftarrow
  Rightarrow Leftarrow leftrightarrow Leftrightarrow uparrow downarrow infty partial nabla hbar ell Re Im
  aleph angle triangle perp parallel mid left right big Big bigg Bigg langle rangle lfloor rfloor lceil
  rceil vert Vert lvert rvert lVert rVert hat bar vec dot ddot tilde widehat widetilde overline underline
  overbrace underbrace overset underset stackrel mathbb mathbf mathrm mathcal mathfrak mathit mathsf
  mathtt boldsymbol operatorname text textbf textit textrm begin end quad qquad limits nolimits prime degree
  displaystyle textstyle`.split(/\s+/),
);

const ENVIRONMENTS: ReadonlySet<string> = new Set(
  'matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix cases aligned align align* gathered array split equation'.split(
    ' ',
  ),
);

const COMMAND = /\\(?:([A-Za-z]+)|([^]))/g;
const HARMLESS_SIGNS = /^[\\,;: {}|_$&#\n]$/;
const ENVIRONMENT = /\\(?:begin|end)\s*\{([^{}]*)\}/g;
const LONGEST = 2000;

/** Whether a formula is sure to draw all the words of its source. */
function drawsAll(source: string): boolean {
  if (source.length > LONGEST || /(?<!\\)(?:\\\\)*%/.test(source)) return false;
  for (const [, name = '', sign = ''] of source.matchAll(COMMAND))
    if (name === '' ? !HARMLESS_SIGNS.test(sign) : !DRAWS.has(name)) return false;
  const beginnings = source.split(/\\(?:begin|end)(?![A-Za-z])/).length - 1;
  const known = [...source.matchAll(ENVIRONMENT)].filter(([, name = '']) => ENVIRONMENTS.has(name));
  return known.length === beginnings;
}

// Words within a block, as Markdown.
import { withoutInvisible } from '../../lib/text/invisible.ts';
import { imageMark, isImage } from './image-places.ts';
import type { Element, Piece } from './pieces.ts';

/** White space is one blank, but for the ends of lines. */
export const paragraph = (pieces: readonly Piece[]): string =>
  pieces
    .map(inlineOf)
    .join('')
    .replaceAll(/ +/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim();

const plain = (text: string): string => withoutInvisible(text).replaceAll(/[ \t\n\f\r]+/g, ' ');

function inlineOf(piece: Piece): string {
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

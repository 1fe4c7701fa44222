// What code blocks and formulas do not show: words beside the language, comments of diagrams and
// formulas, data of maps, text in a colour that cannot be read.
import { splitCode, type Piece } from '../markdown-code.ts';
import type { Note } from './invisible.ts';

/** Removes what is not drawn of blocks and formulas. */
export function withoutHiddenCode(text: string, note: Note): string {
  const hasDiagram = /(?:```|~~~)[ \t]*mermaid/i.test(text);
  const shown = (piece: Piece): string => {
    if (!piece.code) return shownProse(piece.text, hasDiagram, note);
    return piece.block ? shownBlock(piece.text, note) : piece.text;
  };
  return splitCode(text).map(shown).join('');
}

const FIRST_LINE = /^([ \t>*+\-\d.)]{0,200}(?:`{3,}|~{3,})[ \t]*)([^\s`]*)([^\n]*)/;
const LANGUAGE = /^[\w+#.-]{0,20}$/;

/** The first line of a block with nothing but a language in it, as only that may show in colours. */
function firstLine(line: string, note: Note): string {
  const [, fence = '', language = '', rest = ''] = FIRST_LINE.exec(line) ?? [];
  const word = LANGUAGE.test(language) ? language : '';
  const isInline = fence.includes('`') && rest.includes('`');
  if (isInline || (rest.trim() === '' && word === language)) return line;
  note('text beside the language of a code block', `${word === '' ? language : ''}${rest}`.trim());
  return `${fence}${word}`;
}

function shownBlock(text: string, note: Note): string {
  const [line = ''] = text.split('\n', 1);
  const first = firstLine(line, note);
  const content = text.slice(line.length);
  const language = FIRST_LINE.exec(first)?.[2]?.toLowerCase() ?? '';
  const show = DRAWINGS.get(language);
  return first + (show === undefined ? content : show(content, note));
}

type Show = (content: string, note: Note) => string;

const removing =
  (kind: string, pattern: RegExp): Show =>
  (content, note) =>
    content.replaceAll(pattern, (found) => {
      note(kind, found.trim());
      return '';
    });

/** All lines but the last of a block that is closed. */
const LINES = /(?<=\n)(?![^\S\n]*(?:\n|$)|[ \t>]*(?:`{3,}|~{3,})[ \t]*\n?$)[^\n]+\n?/g;
const withoutData = removing('data that is drawn', LINES);
const DIAGRAM_NOTE =
  /(?<=\n)[ >]*(?:%%[^\n]*|acc(?:Title|Descr)[ \t]*:[^\n]*|accDescr[ \t]*\{[^}]*\}|click[ \t][^\n]*)/g;
const withoutDiagramNotes = removing('part of a diagram that is not drawn', DIAGRAM_NOTE);
const FAINT =
  /(?:color|fill|stroke)[ \t]*:[ \t]*(?:transparent|white|#f{3}(?:f{3})?\b)|opacity[ \t]*:[ \t]*0|display[ \t]*:[ \t]*none|font-size[ \t]*:[ \t]*0/i;

const DRAWINGS: ReadonlyMap<string, Show> = new Map([
  ['geojson', withoutData],
  ['topojson', withoutData],
  ['stl', withoutData],
  [
    'mermaid',
    (content, note) =>
      FAINT.test(content) ? withoutData(content, note) : withoutDiagramNotes(content, note),
  ],
  ['math', shownMath],
]);

const HIDES_IN_MATH =
  /\\(?:[hv]?phantom|[fc]?colorbox|fcolorbox|style|class|cssId|mmlToken|href|unicode|tiny)(?![A-Za-z])|\\(?:text)?color(?![A-Za-z])(?!\s*\{\s*(?:red|green|blue|orange|purple|brown|magenta|teal|violet|olive)\s*\})/;

function shownMath(formula: string, note: Note): string {
  if (HIDES_IN_MATH.test(formula)) return withoutFormula(formula, note);
  return withoutMathComments(formula, note);
}

const withoutFormula = removing('formula that may hide text', /[^$\n`~>]+/g);
const withoutMathComments = removing('comment in a formula', /(?<!\\)%[^\n$]*/g);

const MATH = /\$\$[^$]+\$\$|(?<![\w$\\])\$(?=[^\s$])[^$\n]*[^\s$\\]\$(?!\w)/g;
/** Perhaps the first line of a block in a list. */
const FENCE_LINE = new RegExp(`${FIRST_LINE.source}$`, 'gm');
const NOTE_IN_LIST = /^[ \t>]*%%[^\n]*/gm;

function shownProse(prose: string, hasDiagram: boolean, note: Note): string {
  const noBeside = prose.replaceAll(FENCE_LINE, (line) => firstLine(line, note));
  const noNotes = hasDiagram
    ? removing('part of a diagram that is not drawn', NOTE_IN_LIST)(noBeside, note)
    : noBeside;
  return noNotes.replaceAll(MATH, (formula) => shownMath(formula, note));
}

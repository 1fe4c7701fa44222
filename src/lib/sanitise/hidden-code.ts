// What code blocks and formulas do not show: words beside the language, comments of diagrams and
// formulas, data of maps, text in a colour that cannot be read.
import { splitCode } from '../markdown-code.ts';
import { Finder } from './finder.ts';
import type { Hidden } from './prose.ts';

/** What a text has of it in blocks and formulas. */
export function hiddenCode(text: string): readonly Hidden[] {
  const hasDiagram = /(?:```|~~~)[ \t]*mermaid/i.test(text);
  const hidden: Hidden[] = [];
  let start = 0;
  for (const piece of splitCode(text)) {
    if (!piece.code) hidden.push(...moved(inProse(piece.text, hasDiagram), start));
    else if (piece.block) hidden.push(...moved(inBlock(piece.text), start));
    start += piece.text.length;
  }
  return hidden;
}

const moved = (parts: readonly Hidden[], by: number): readonly Hidden[] =>
  parts.map((part) => ({ ...part, start: part.start + by, end: part.end + by }));

/** What a pattern finds in a part of a text. */
const found = (kind: string, pattern: RegExp, text: string, start = 0): readonly Hidden[] =>
  [...text.matchAll(pattern)].map(({ 0: all, index }) => ({
    kind,
    start: start + index,
    end: start + index + all.length,
    text: '',
  }));

const FIRST_LINE =
  /^((?:[ \t>*+\-\d.)]|\[\^[^\]\n]{1,100}\]:){0,200}(?:`{3,}|~{3,})[ \t]*)([^\s`]*)([^\n]*)/;
const LANGUAGE = /^[\w+#.-]{0,20}$/;

/** On the first line of a block, all but a language, as only that may show in colours. */
function inFirstLine(line: string, start: number): readonly Hidden[] {
  const [all = '', fence = '', language = '', rest = ''] = FIRST_LINE.exec(line) ?? [];
  const word = LANGUAGE.test(language) ? language : '';
  const isInline = fence.includes('`') && rest.includes('`');
  if (isInline || (rest.trim() === '' && word === language)) return [];
  const kind = 'text beside the language of a code block';
  return [{ kind, start: start + fence.length + word.length, end: start + all.length, text: '' }];
}

function inBlock(text: string): readonly Hidden[] {
  const [line = ''] = text.split('\n', 1);
  const language = FIRST_LINE.exec(line)?.[2]?.toLowerCase() ?? '';
  const look = DRAWINGS.get(language);
  return [
    ...inFirstLine(line, 0),
    ...(look === undefined ? [] : look(text.slice(line.length), line.length)),
  ];
}

type Look = (content: string, start: number) => readonly Hidden[];

const looking =
  (kind: string, pattern: RegExp): Look =>
  (content, start) =>
    found(kind, pattern, content, start);

/** All lines but the last of a block that is closed. */
const LINES = /(?<=\n)(?![^\S\n]*(?:\n|$)|[ \t>]*(?:`{3,}|~{3,})[ \t]*\n?$)[^\n]+\n?/g;
const dataIn = looking('data that is drawn', LINES);
const DIAGRAM_NOTE =
  /(?<=\n)[ >]*(?:%%[^\n]*|acc(?:Title|Descr)[ \t]*:[^\n]*|accDescr[ \t]*\{[^}]*\}|click[ \t][^\n]*)/g;
const diagramNotesIn = looking('part of a diagram that is not drawn', DIAGRAM_NOTE);
const FAINT =
  /(?:color|fill|stroke)[ \t]*:[ \t]*(?:transparent|white|#f{3}(?:f{3})?\b)|opacity[ \t]*:[ \t]*0|display[ \t]*:[ \t]*none|font-size[ \t]*:[ \t]*0/i;

const DRAWINGS: ReadonlyMap<string, Look> = new Map([
  ['geojson', dataIn],
  ['topojson', dataIn],
  ['stl', dataIn],
  ['mermaid', (content, start) => (FAINT.test(content) ? dataIn : diagramNotesIn)(content, start)],
  ['math', inFormula],
]);

const HIDES_IN_MATH =
  /\\(?:[hv]?phantom|[fc]?colorbox|fcolorbox|style|class|cssId|mmlToken|href|unicode|tiny|mathchoice|def|(?:re|provide)?newcommand)(?![A-Za-z])|\\label\s*\{(?:[^}\n]*\s|[^}\n]{25})|\\(?:[hm]space|[hm]skip|m?kern)\*?\s*(?:\{\s*)?-\d\d|\\(?:text)?color(?![A-Za-z])(?!\s*\{\s*(?:red|green|blue|orange|purple|brown|magenta|teal|violet|olive)\s*\})/;

function inFormula(formula: string, start: number): readonly Hidden[] {
  const look = HIDES_IN_MATH.test(formula) ? formulaIn : mathCommentsIn;
  return look(formula, start);
}

const formulaIn = looking('formula that may hide text', /[^$\n`~>]+/g);
const mathCommentsIn = looking('comment in a formula', /(?<!\\)%[^\n$]*/g);

const MATH = /\$\$[^$]+\$\$|(?<![\w$\\])\$(?=[^\s$])[^$\n]*[^\s$\\]\$(?!\w)/g;
/** Perhaps the first line of a block in a list. */
const FENCE_LINE = new RegExp(`${FIRST_LINE.source}$`, 'gm');
const NOTE_IN_LIST = /^[ \t>]*%%[^\n]*/gm;

/** Perhaps a block in a list, and what ends it. */
const DRAWN =
  /^[ \t>*+\-\d.)]{0,200}(?:`{3,}|~{3,})[ \t]*(geojson|topojson|stl|mermaid|math)\b[^\n]*/gim;
const CLOSES = /\n[ \t>]*(?:`{3,}|~{3,})[ \t]*(?=\n|$)/;

function drawnInProse(prose: string): readonly Hidden[] {
  const ends = new Finder(prose, CLOSES);
  let done = 0;
  return [...prose.matchAll(DRAWN)].flatMap(({ 0: line, 1: language = '', index }) => {
    const start = index + line.length;
    if (index < done) return [];
    done = ends.next(start)?.start ?? prose.length;
    return DRAWINGS.get(language.toLowerCase())?.(prose.slice(start, done), start) ?? [];
  });
}

function inProse(prose: string, hasDiagram: boolean): readonly Hidden[] {
  const lines = [...prose.matchAll(FENCE_LINE)];
  const formulas = [...prose.matchAll(MATH)];
  return [
    ...lines.flatMap(({ 0: line, index }) => inFirstLine(line, index)),
    ...(hasDiagram ? found('part of a diagram that is not drawn', NOTE_IN_LIST, prose) : []),
    ...drawnInProse(prose),
    ...formulas.flatMap(({ 0: formula, index }) => inFormula(formula, index)),
  ];
}

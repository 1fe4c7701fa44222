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
/** Without an end of its own, what begins in a block ends with the block. */
const BLOCK_END = String.raw`(?=\n[ \t>]*(?:${'`'}{3,}|~{3,})[ \t]*\n?$)|$`;
const DIAGRAM_NOTE = new RegExp(
  [
    // What stands above a diagram, and sets how it looks.
    String.raw`^[\s>]*---[^\S\n]*\n[^]*?\n[ \t>]*---(?=[^\S\n]*\n)`,
    String.raw`%%\{[^]*?(?:\}%%|${BLOCK_END})`,
    String.raw`(?<=[\s;>])%%[^\n]*`,
    String.raw`(?<=[\n;])[^\S\n]*(?:>[^\S\n]*)*(?:acc(?:Title|Descr)[ \t]*:[^\n]*|accDescr[ \t]*\{[^}]*?(?:\}|${BLOCK_END})|click[ \t][^\n]*)`,
  ].join('|'),
  'g',
);
/** Menus and tooltips, but for what is named like one and has an arrow or a text behind it. */
const MENU =
  /(?<=[\n;])[^\S\n]*(?:>[^\S\n]*)*(?:links?|properties|details|callback)[ \t]+(?![-=<~&.:]|[ox][-=])[^\n]*/g;
const HAS_MENUS = /sequenceDiagram|classDiagram/;
const NOT_DRAWN = 'part of a diagram that is not drawn';
const FAINT = new RegExp(
  [
    String.raw`(?:color|fill|stroke)[ \t]*:[ \t]*(?:transparent|white|#f{3}(?:f{3})?\b)`,
    String.raw`(?:color|fill)[ \t]*:[ \t]*(?:#[\da-f]{3}[0-3]\b|#[\da-f]{6}[0-3][\da-f]\b|(?:rgb|hsl)a?\((?:[^,)\n]{1,10},){3}[ \t]*(?:0[ \t]*\)|0?\.[0-2]))`,
    String.raw`textcolor["'][ \t]*:[ \t]*["'](?:transparent|white|#f{3}(?:f{3})?\b)`,
    String.raw`opacity[ \t]*:[ \t]*0|display[ \t]*:[ \t]*none|visibility[ \t]*:[ \t]*(?:hidden|collapse)`,
    String.raw`font-size[ \t]*:[ \t]*(?:0|\.|[1-3](?:\.\d{1,9})?(?:p[xt]|(?![\w.%])))`,
    // Letters in the colour of what is behind them.
    String.raw`(?<![\w-])fill[ \t]*:[ \t]*([^\s,;]{1,40})(?=[\s,;])[^\n]{0,200}?(?<![\w-])color[ \t]*:[ \t]*\1(?![\w#])`,
    String.raw`(?<![\w-])color[ \t]*:[ \t]*([^\s,;]{1,40})(?=[\s,;])[^\n]{0,200}?(?<![\w-])fill[ \t]*:[ \t]*\2(?![\w#])`,
  ].join('|'),
  'i',
);

function inDiagram(content: string, start: number): readonly Hidden[] {
  if (FAINT.test(content)) return dataIn(content, start);
  return [
    ...found(NOT_DRAWN, DIAGRAM_NOTE, content, start),
    ...(HAS_MENUS.test(content) ? found(NOT_DRAWN, MENU, content, start) : []),
  ];
}

const DRAWINGS: ReadonlyMap<string, Look> = new Map([
  ['geojson', dataIn],
  ['topojson', dataIn],
  ['stl', dataIn],
  ['mermaid', inDiagram],
  ['math', inFormula],
]);

const HIDES_IN_MATH = new RegExp(
  [
    String.raw`\\(?:[hv]?phantom|[fc]?colorbox|fcolorbox|style|class|cssId|mmlToken|href|unicode|[tT]iny|mathchoice|bbox|toggle|texttip|mathtip|(?:page|define)color)(?![A-Za-z])`,
    String.raw`\\(?:[egx]?def|(?:re|provide)?newcommand|(?:re)?newenvironment|DeclareMathOperator|DeclarePairedDelimiterX?(?:PP)?|newtagform)(?![A-Za-z])`,
    String.raw`\\(?:move(?:left|right)|raise(?:box)?|lower)(?![A-Za-z])`,
    // Names are not shown: more than one may be a message.
    String.raw`\\(?:label|(?:eq)?ref|enclose|require)\s*\{(?:[^}\n]{0,24}\s|[^}\n]{25})`,
    // Far off the page.
    String.raw`\\(?:[hm]space|[hm]skip|m?kern)\*?\s*(?:\{\s*)?-\s*(?:\d\d|[\d.]{1,9}\s*(?:in|cm|mm|pc))`,
    String.raw`\\(?:text|math)?color(?![A-Za-z])(?!\s*\{\s*(?:red|green|blue|orange|purple|brown|magenta|teal|violet|olive)\s*\})`,
  ].join('|'),
);
const BACK = /\\(?:[hm]space|[hm]skip|m?kern)\*?\s*(?:\{\s*)?-|\\(?:!|neg(?:thin|med|thick)space)/g;
/** Steps back of a few letters each: more of them leave the page as well. */
const MOST_BACK = 5;

const hidesInMath = (formula: string): boolean =>
  HIDES_IN_MATH.test(formula) || (formula.match(BACK)?.length ?? 0) > MOST_BACK;

function inFormula(formula: string, start: number): readonly Hidden[] {
  const look = hidesInMath(formula) ? formulaIn : mathCommentsIn;
  return look(formula, start);
}

const formulaIn = looking('formula that may hide text', /(?:\\\$|[^$\n`~>])+/g);
const mathCommentsIn = looking('comment in a formula', /(?<!\\)%[^\n$]*/g);

/** A dollar behind a backslash is part of it. */
const MATH =
  /\$\$(?:\\\$|\$(?!\$)|\\(?!\$)|[^$\\])+\\?\$\$|(?<![\w$\\])\$(?=[^\s$])(?:\\\$|[^$\n])*?(?<![\s\\])\$(?!\w)/g;
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
    ...(hasDiagram ? found(NOT_DRAWN, NOTE_IN_LIST, prose) : []),
    ...drawnInProse(prose),
    ...formulas.flatMap(({ 0: formula, index }) => inFormula(formula, index)),
  ];
}

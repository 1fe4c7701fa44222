// Lines of Markdown that name an address or a footnote, and are not shown themselves.

export interface Definition {
  /** As Markdown compares them; a footnote's begins with `^`. */
  readonly label: string;
  /** Where its bracket stands, and the end of all that belongs to it. */
  readonly open: number;
  /** Where the label ends. */
  readonly close: number;
  readonly start: number;
  readonly end: number;
  readonly address: string;
  /** The title with the space before it. */
  readonly title?: { readonly start: number; readonly end: number } | undefined;
}

export const isNote = ({ label }: Pick<Definition, 'label'>): boolean => label.startsWith('^');

const BEGINNING = String.raw`((?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*)\[((?:\\[\s\S]|[^[\]\\]){1,999})\]:`;
const BEGINS = new RegExp(`^${BEGINNING}`, 'gm');
const BEGINS_HERE = new RegExp(BEGINNING, 'y');
const ADDRESS = /[ \t]*(?:\n[ \t>]*)?(<[^<>\n]*>|[^\s<]\S*)/y;
/** GitHub takes an escaped quote for the last one where there is no other. */
const TITLES = ['"', "'"].map(
  (quote) =>
    String.raw`${quote}(?:\\[\s\S]|BREAK[^${quote}\\])*${quote}|${quote}(?:BREAK[^${quote}])*${quote}`,
);
const BREAK = String.raw`(?!\n[ \t>]*(?:\n|\[\^[^\]\s]+\]:))`;
const IN_BRACKETS = String.raw`\((?:\\[\s\S]|BREAK[^()\\])*\)`;
/** A title, as a pattern: it goes on over lines, but not over a blank one. */
export const TITLE = [...TITLES, IN_BRACKETS].join('|').replaceAll('BREAK', BREAK);
const TITLE_LINE = new RegExp(
  String.raw`(?:[ \t]+|[ \t]*\n[ \t>]*)(?:${TITLE})[ \t]*(?=\n|$)`,
  'y',
);
const LINE_END = /[ \t]*(?=\n|$)/y;
/** A line of a paragraph: what follows it belongs to the paragraph, and is shown. */
const PARAGRAPH = /^(?: {0,3}>)* {0,3}[\p{L}[!]/u;

/** Whether a line with nothing but a prefix before its text belongs to the paragraph of the line before. */
const goesOn = (before: string, prefix: string): boolean =>
  PARAGRAPH.test(before) &&
  !/[^ \t>]/.test(prefix) &&
  prefix.split('>').length <=
    before
      .split(/[\p{L}[!]/u, 1)
      .join('')
      .split('>').length;

const normalLabel = (label: string): string => label.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** All definitions of a text whose code is masked, in their order; a footnote may hold others. */
export function definitionsIn(mask: string): readonly Definition[] {
  const found: Definition[] = [];
  const endOf = noteEnds(mask);
  let addressEnd = 0;
  let note = { after: 0, end: 0 };
  for (const { 0: all, 1: prefix = '', 2: label = '', index: start } of beginningsIn(mask)) {
    const after = start + all.length;
    if (start < addressEnd || label.trim() === '') continue;
    const open = start + prefix.length;
    const definition = { label: normalLabel(label), start, open, close: after - ']:'.length };
    if (isNote({ label })) {
      note = { after, end: endOf(after) };
      found.push({ ...definition, address: '', end: note.end });
      continue;
    }
    const last = Math.max(addressEnd, start < note.end ? note.after : note.end);
    const isBelow = last > 0 && mask.slice(last, start).trim() === '';
    const rest =
      !isBelow && goesOn(lineBefore(mask, start), prefix) ? undefined : restOf(mask, after);
    if (rest === undefined) continue;
    found.push({ ...definition, ...rest });
    addressEnd = rest.end;
  }
  return found;
}

/** What looks like the beginning of one: on each line, and behind the sign of a footnote. */
function* beginningsIn(mask: string): Generator<RegExpExecArray> {
  for (const onLine of mask.matchAll(BEGINS))
    for (let match: RegExpExecArray | null = onLine; match !== null;) {
      yield match;
      const after: number = match.index + match[0].length;
      match = isNote({ label: match[2] ?? '' }) ? matchAt(BEGINS_HERE, mask, after) : null;
    }
}

const lineBefore = (text: string, start: number): string =>
  start === 0 ? '' : text.slice(text.lastIndexOf('\n', start - 2) + 1, start - 1);

function restOf(
  mask: string,
  after: number,
): Pick<Definition, 'address' | 'title' | 'end'> | undefined {
  const address = matchAt(ADDRESS, mask, after);
  if (address === null) return undefined;
  const start = ADDRESS.lastIndex;
  const title = matchAt(TITLE_LINE, mask, start);
  const end = title === null ? start : TITLE_LINE.lastIndex;
  if (title === null && matchAt(LINE_END, mask, start) === null) return undefined;
  return {
    address: (address[1] ?? '').replaceAll(/^<|>$/g, ''),
    title: title === null ? undefined : { start, end },
    end,
  };
}

/** What a pattern that is sticky finds at a place. */
export function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** A footnote goes on over lines that are not blank, and after those over what is indented. */
const NOTE =
  /(?:[^\n]*(?:\n(?![ \t]*\n)(?![ \t>]*\[\^[^\]\n]+\]:)|(?:\n[ \t]*)+\n(?= {4}|\t)))*[^\n]*/y;

export function endOfNote(mask: string, after: number): number {
  matchAt(NOTE, mask, after);
  return NOTE.lastIndex;
}

/** As `endOfNote`, for places in rising order: those in one note share its end. */
export function noteEnds(mask: string): (after: number) => number {
  let end = -1;
  return (after) => {
    if (after > end) end = endOfNote(mask, after);
    return end;
  };
}

/** Which definitions something that is shown refers to; of several with one label, the first. */
export class References {
  readonly #first = new Map<string, Definition>();
  readonly #within = new Map<string, Set<string>>();
  #shown: Set<string> | undefined;

  constructor(definitions: readonly Definition[]) {
    for (const definition of definitions)
      if (!this.#first.has(definition.label)) this.#first.set(definition.label, definition);
  }

  /** The definition that a label refers to. */
  get(label: string): Definition | undefined {
    return this.#first.get(normalLabel(label));
  }

  /** `within`: the label of the footnote in which it is referred to; empty for the text itself. */
  add(label: string, within: string): void {
    const labels = this.#within.get(within) ?? new Set();
    this.#within.set(within, labels.add(normalLabel(label)));
  }

  /** Call it when all are added. */
  isShown(definition: Definition): boolean {
    this.#shown ??= this.#reach();
    return this.#shown.has(definition.label) && this.#first.get(definition.label) === definition;
  }

  #reach(): Set<string> {
    const shown = new Set(this.#within.get(''));
    // What is added on the way is visited too.
    for (const label of shown)
      for (const next of this.#within.get(label) ?? []) if (isNote({ label })) shown.add(next);
    return shown;
  }
}

// What Markdown's links and images carry beside what is shown: descriptions, titles, definitions
// and footnotes that nothing refers to.
import { maskCode } from '../markdown-code.ts';
import { doubtfulCode } from './code-spans.ts';
import {
  definitionsIn,
  isNote,
  TITLE as TITLE_PATTERN,
  References,
  type Definition,
} from './definitions.ts';
import type { Found } from './finder.ts';
import { htmlLines, indentedCode } from './html-lines.ts';
import { within, type Hidden } from './prose.ts';

/** A pair of brackets. */
interface Bracket {
  /** Where it opens: at the `!` of an image. */
  readonly open: number;
  /** What is between them. */
  readonly from: number;
  readonly to: number;
  readonly isImage: boolean;
  /** Else it is only an end. */
  readonly isPaired: boolean;
  /** It holds no other brackets. */
  readonly isLeaf: boolean;
  /** The label of the footnote that it stands in, or nothing. */
  readonly within: string;
}

interface Referring extends Bracket {
  /** What it refers to is shown for it; in what may be code it is not. */
  readonly counts: boolean;
}

type Remove = (kind: string, start: number, end: number, rest?: string) => void;

interface Around {
  /** No footnote is shown. */
  readonly noNotes: boolean;
  /** What HTML reads behind what begins a line. */
  readonly raw: readonly Found[];
}

/** What belongs to links, images and footnotes and is not shown. */
export function hiddenLinks(text: string, { noNotes, raw }: Around): readonly Hidden[] {
  if (!text.includes(']')) return [];
  const mask = maskCode(text);
  const definitions = definitionsIn(mask);
  const references = new References(definitions);
  const shortNames = shortNamesOf(definitions);
  const hidden: Hidden[] = [];
  const remove: Remove = (kind, start, end, rest = '') => {
    if (start !== end) hidden.push({ kind, start, end, text: rest });
  };
  const isRaw = rawLines(mask);
  const isBehind = within(raw);
  const isInSpan = within([...doubtfulCode(text)]);
  for (const bracket of bracketsIn(mask, definitions))
    if (!removeFromInline(mask, bracket, remove) && !removeFromInline(text, bracket, remove)) {
      const isText = isRaw(bracket.to) || isBehind(bracket.to);
      const counts = !isInSpan(bracket.to);
      if (isText) continue;
      const { from, to, isLeaf } = bracket;
      const note = isLeaf && to - from < 1000 ? references.get(mask.slice(from, to)) : undefined;
      const name = shortNames.get(note?.label ?? '');
      if (name !== undefined) remove(NOTE_LABEL, from, to, name);
      refer(mask, { ...bracket, counts }, references, remove);
    }
  for (const definition of definitions) {
    const { start, end, title, open, close, label } = definition;
    const kind = isNote(definition) ? 'unused footnote' : 'unused link definition';
    const name = shortNames.get(label);
    if (!references.isShown(definition) || (isNote(definition) && noNotes))
      remove(kind, start, end);
    else if (name !== undefined) remove(NOTE_LABEL, open + 1, close, name);
    else remove(TITLE, title?.start ?? 0, title?.end ?? 0);
  }
  return hidden;
}

/** A number is shown in place of one. */
const NOTE_LABEL = 'label of a footnote';
const LONG_NAME = /^\^\S{21}/;

/** For labels of footnotes that may say something: names that no other footnote has. */
function shortNamesOf(definitions: readonly Definition[]): ReadonlyMap<string, string> {
  const taken = new Set(definitions.map(({ label }) => label));
  const names = new Map<string, string>();
  let count = 0;
  for (const { label } of definitions) {
    if (!LONG_NAME.test(label) || /\s/.test(label) || names.has(label)) continue;
    do count += 1;
    while (taken.has(`^note-${count}`));
    names.set(label, `^note-${count}`);
  }
  return names;
}

const TITLE = 'title of a link';
const DESCRIPTION = 'description of an image';

export const INLINE = new RegExp(
  String.raw`\(\s*(?!\s)(<[^<>\n]*>|[^\s()<][^\s()]*(?:\([^\s()]*\)[^\s()]*)*)?(\s+(?:${TITLE_PATTERN}))?\s*\)`,
  'dy',
);
export const REFERENCE = /\[((?:\\[\s\S]|[^[\]\\]){0,999})\]/y;

/** A link or image with its address behind it; `false` where it is none. */
function removeFromInline(mask: string, bracket: Bracket, remove: Remove): boolean {
  const { open, from, to, isImage, isPaired } = bracket;
  INLINE.lastIndex = to + 1;
  const tail = INLINE.exec(mask);
  if (tail === null) return false;
  const isData = isImage && /^<?data:/i.test(tail[1] ?? '');
  const isEmpty = isPaired && mask.slice(from, Math.min(to, from + 1000)).trim() === '';
  if (isData || (!isImage && isEmpty))
    remove(isData ? 'image within the text' : 'link without text', open, INLINE.lastIndex);
  if (isImage) remove(DESCRIPTION, from, to);
  const [titleStart, titleEnd] = tail.indices?.[2] ?? [0, 0];
  remove(TITLE, titleStart, titleEnd);
  return true;
}

/** A link or image whose address is defined elsewhere. An image gets it here, without its label. */
function refer(mask: string, bracket: Referring, references: References, remove: Remove): void {
  const { open, from, to, isImage, isLeaf, within, counts } = bracket;
  REFERENCE.lastIndex = to + 1;
  const reference = REFERENCE.exec(mask);
  const own = isLeaf && to - from < 1000 ? mask.slice(from, to) : '';
  const label = reference?.[1] || own;
  const definition = references.get(label);
  if (isImage && definition !== undefined) {
    const end = reference === null ? to + 1 : REFERENCE.lastIndex;
    remove(DESCRIPTION, open, end, `![](${definition.address})`);
    return;
  }
  if (definition !== undefined && reference !== null && LONG_LABEL.test(label)) {
    remove('label of a link', to + 1, REFERENCE.lastIndex, `(${definition.address})`);
    return;
  }
  if (!counts) return;
  references.add(label, within);
  // With a label that is known it is a link, whatever its text looks like; a footnote may follow another.
  const isLink = definition !== undefined && !(isNote(definition) && own.startsWith('^'));
  if (!isLink) references.add(own, within);
}

/** Behind the sign of an item or a quotation. */
const CODE_IN_ITEM = /^[ \t>]*(?:[-*+>]|\d{1,9}[.)])(?: {5}|\t\t)[^\n]*/gm;

/** Tells, for places in rising order, whether Markdown reads nothing there: HTML, and indented code. */
function rawLines(mask: string): (place: number) => boolean {
  const isInHtml = htmlLines(mask);
  const isIndented = indentedCode(mask);
  const isInItem = within(
    [...mask.matchAll(CODE_IN_ITEM)].map(({ 0: line, index }) => ({
      start: index,
      end: index + line.length,
    })),
  );
  return (place) => isInHtml(place) || isIndented(place) || isInItem(place);
}

/** More words than name something: nobody sees them. */
const LONG_LABEL = /(?:\S+\s+){3}\S|^.{60}/s;

const SIGNS = /\\[\s\S]|!?\[|\]/g;

/** The pairs of brackets outside of definitions. */
export function* bracketsIn(mask: string, definitions: readonly Definition[]): Generator<Bracket> {
  const opened: { readonly at: number; readonly sign: string; isLeaf: boolean }[] = [];
  const noteAt = innermost(definitions.filter(isNote));
  const isInAddress = within(definitions.filter((definition) => !isNote(definition)));
  for (const { 0: sign, index } of mask.matchAll(SIGNS)) {
    if (sign.startsWith('\\') || isInAddress(index)) continue;
    const note = noteAt(index);
    if (note?.open === index) continue;
    if (sign !== ']') {
      opened.push({ at: index, sign, isLeaf: true });
      continue;
    }
    // One without a beginning may be paired for GitHub, which sees no brackets in tags.
    const pair = opened.pop() ?? { at: index, sign: '', isLeaf: false };
    const outer = opened.at(-1);
    if (outer !== undefined) outer.isLeaf = false;
    const { at: open, isLeaf, sign: begins } = pair;
    const isImage = begins === '![';
    yield {
      isPaired: begins !== '',
      open,
      from: open + begins.length,
      to: index,
      isImage,
      isLeaf,
      within: note?.label ?? '',
    };
  }
}

/** Tells, for places in rising order, in which footnote they stand: the last that has begun. */
function innermost(notes: readonly Definition[]): (place: number) => Definition | undefined {
  const around: Definition[] = [];
  let next = 0;
  return (place) => {
    for (let note = notes[next]; note !== undefined && note.start <= place; note = notes[next]) {
      around.push(note);
      next += 1;
    }
    while ((around.at(-1)?.end ?? Infinity) <= place) around.pop();
    return around.at(-1);
  };
}

// What Markdown and HTML hide. Each kind is looked for in the text as it came: what one hides may be what
// shows that another does.
import { hiddenCells } from './hidden-cells.ts';
import { hiddenCode } from './hidden-code.ts';
import { hiddenHtml, TAG_PART } from './hidden-html.ts';
import { hiddenLinks } from './hidden-links.ts';
import { hiddenMarkup } from './hidden-markup.ts';
import type { Note } from '../invisible.ts';
import { edited, within, type Hidden } from './prose.ts';

/** `namesTags`: as in `hiddenHtml`. */
export function withoutHiddenParts(text: string, note: Note, namesTags = false): string {
  const markup = hiddenMarkup(text);
  const html = [...markup.hidden, ...hiddenHtml(text, markup, namesTags)].toSorted(byPlace);
  const isGone = within(html.filter(({ kind }) => kind !== TAG_PART));
  const beginnings = new Set(html.map(({ start }) => start));
  // What begins in a comment is nothing else.
  const noNotes = html.some(({ isOpen }) => isOpen);
  const others = [
    ...hiddenLinks(text, { noNotes, raw: markup.raw }),
    ...hiddenCells(text),
    ...hiddenCode(text),
  ]
    .toSorted(byPlace)
    .filter(({ start }) => !isGone(start) || beginnings.has(start));
  const parts = joined([...html, ...others].toSorted(byPlace));
  for (const { kind, start, end } of parts) note(kind, text.slice(start, end));
  return edited(text, parts);
}

const byPlace = (one: Hidden, other: Hidden): number =>
  one.start - other.start || other.end - one.end;

/** Those that overlap as one. */
function joined(parts: readonly Hidden[]): readonly Hidden[] {
  const apart: Hidden[] = [];
  for (const part of parts) {
    const last = apart.at(-1);
    if (last === undefined || part.start >= last.end) apart.push(part);
    else if (part.end > last.end) apart[apart.length - 1] = { ...last, end: part.end };
  }
  return apart;
}

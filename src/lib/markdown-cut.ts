import { closingFence, maskCode, splitCode } from './markdown-code.ts';

/** Set aside for closing what a cut leaves open. */
const ROOM_FOR_ENDS = 200;
/** How far a cut moves back to the end of a line or a word. */
const SEARCHED = 2_000;

/**
 * A Markdown text in at most `limit` UTF-16 units, with all that it opens closed, so that what is put
 * after it stands on its own. Where it is cut, `mark` follows. A cut falls between lines or words, else
 * between the signs that people see: never in a span of code, an entity or an address.
 * `limit` has room for the mark and a thousand more.
 */
export function cutMarkdown(text: string, limit: number, mark: string): string {
  const whole = text + endsOf(text);
  if (whole.length <= limit) return whole;
  const place = placeToCut(text, limit - mark.length - ROOM_FOR_ENDS);
  // A sign that goes on and on is cut as well, but no character of it.
  const kept = text
    .slice(0, place)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  const ends = endsOf(kept);
  // No person opens so much that this does not hold; what is left open then is only less pretty.
  return kept + (ends.length <= ROOM_FOR_ENDS ? ends : '') + mark;
}

const DETAILS = /<(\/?)details\b[^<>]*>/gi;

/** What closes the fence and the folded parts that are open at the end. */
function endsOf(text: string): string {
  const tags = [...maskCode(text).matchAll(DETAILS)].map(([, closes]) => (closes === '' ? 1 : -1));
  const open = tags.reduce((depth: number, change) => Math.max(0, depth + change), 0);
  return closingFence(text) + '\n\n</details>'.repeat(open);
}

function placeToCut(text: string, most: number): number {
  let start = 0;
  for (const { code, block, text: piece } of splitCode(text)) {
    const end = start + piece.length;
    if (end > most) return code && !block ? start : start + placeIn(piece, most - start, block);
    start = end;
  }
  return most;
}

/** The end of a line or a word shortly before; else of a sign, an entity or a tag. */
function placeIn(piece: string, most: number, isBlock: boolean): number {
  const before = piece.slice(0, most);
  const line = before.lastIndexOf('\n');
  if (line > most - SEARCHED) return line + 1;
  const word = isBlock ? -1 : Math.max(before.lastIndexOf(' '), before.lastIndexOf('\t'));
  if (word > most - SEARCHED) return word;
  const part = /&[#\w]{0,40}$/.exec(before) ?? /<[A-Za-z/][^<>]{0,500}$/.exec(before);
  return part === null || isBlock ? endOfSign(piece, most) : part.index;
}

const NEAR = 64;

/** What a person sees as one sign may be many characters, such as a family of emoji. */
function endOfSign(text: string, most: number): number {
  const from = Math.max(0, most - NEAR);
  const signs = new Intl.Segmenter().segment(text.slice(from, most + NEAR));
  return from + (signs.containing(most - from)?.index ?? most - from);
}

// Quotations and items of lists: HTML in one ends with it, whatever the HTML says. A comment that is
// closed only behind it is never closed for a browser.
import { Finder } from './finder.ts';

const ITEMS = /(?<=\n|^)(?:[ \t>]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=\n)))+/;
const MARKER = /(?:[-*+]|\d{1,9}[.)])[ \t]*/g;
const QUOTE = /^ {0,3}> ?/;

/**
 * Tells, for places in rising order, whether all lines up to `end` stay in what the place stands in,
 * whose line begins at `lineStart`.
 */
export function containers(
  text: string,
): (lineStart: number, place: number, end: number) => boolean {
  const items = new Finder(text, ITEMS);
  const columns = new Set<number>();
  let looked = 0;
  return (lineStart, place, end) => {
    for (let item = items.next(looked); item !== undefined && item.start < place;) {
      const prefix = text.slice(item.start, item.end);
      for (const { 0: marker, index } of prefix.matchAll(MARKER)) {
        const begins = columnOf(prefix.slice(0, index));
        columns.add(columnOf(prefix.slice(0, index + marker.length)));
        // Without words the item begins behind one space.
        columns.add(begins + marker.trimEnd().length + 1);
      }
      looked = item.end;
      item = items.next(looked);
    }
    const prefix = text.slice(lineStart, place);
    if (prefix === '') return true;
    const depth = prefix.split('>').length - 1;
    const column = Math.max(0, ...[...columns].filter((each) => each <= columnOf(prefix)));
    const [, ...lines] = text.slice(place, end).split('\n');
    return lines.every((line) => isInside(line, depth, column));
  };
}

/** Behind the signs of quotations. */
const columnOf = (prefix: string): number =>
  prefix.slice(prefix.lastIndexOf('>') + 1).replaceAll('\t', '    ').length;

function isInside(line: string, depth: number, column: number): boolean {
  let rest = line;
  for (let count = 0; count < depth; count += 1) {
    if (!QUOTE.test(rest)) return false;
    rest = rest.replace(QUOTE, '');
  }
  return rest.trim() === '' || columnOf(/^[ \t]*/.exec(rest)?.[0] ?? '') >= column;
}

// The parts of links that hold no HTML: what looks like a tag there is none.
import { maskCode } from '../markdown-code.ts';
import { definitionsIn, References, type Definition } from './definitions.ts';
import { bracketsIn, INLINE, REFERENCE } from './hidden-links.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Tells, for places in rising order, where the part of a link begins that they stand in. */
export function linkParts(text: string): (place: number) => number | undefined {
  const mask = maskCode(text);
  const definitions = definitionsIn(mask);
  const addresses = definitions.filter(({ label }) => !label.startsWith('^'));
  const ranges = [...addresses, ...partsIn(mask, definitions)].toSorted(
    (one, other) => one.start - other.start,
  );
  let next = 0;
  let around: Range = { start: 0, end: 0 };
  return (place) => {
    for (let range = ranges[next]; range !== undefined && range.start <= place; ) {
      if (range.start >= around.end) around = range;
      else if (range.end > around.end) around = { start: around.start, end: range.end };
      next += 1;
      range = ranges[next];
    }
    return place < around.end ? around.start : undefined;
  };
}

/** Addresses with their titles, and labels; of an image, all of it. */
function* partsIn(mask: string, definitions: readonly Definition[]): Generator<Range> {
  const known = new References(definitions);
  for (const { open, from, to, isImage } of bracketsIn(mask, definitions)) {
    const ends = [INLINE, REFERENCE].map((pattern) => {
      pattern.lastIndex = to + 1;
      return pattern.test(mask) ? pattern.lastIndex : to + 1;
    });
    const end = Math.max(...ends);
    const isDefined = end > to + 1 || (to - from < 1000 && known.get(mask.slice(from, to)));
    if (isImage && isDefined) yield { start: open, end };
    else if (end > to + 1) yield { start: to + 1, end };
  }
}

// The parts of links that hold no HTML: what looks like a tag there is none.
import { maskCode } from '../markdown-code.ts';
import { definitionsIn, isNote, matchAt, References, type Definition } from './definitions.ts';
import { Finder } from './finder.ts';
import { bracketsIn, INLINE, REFERENCE } from './hidden-links.ts';

/** HTML that begins a line ends what it would stand in. */
const HTML_ON_LINE = /\n[ \t>*+\-\d.)]*</;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Tells, for places in rising order, where the part of a link begins that they stand in. */
export function linkParts(text: string): (place: number) => number | undefined {
  const mask = maskCode(text);
  const definitions = definitionsIn(mask);
  const addresses = definitions.filter((definition) => !isNote(definition));
  const tags = new Finder(mask, HTML_ON_LINE);
  const ranges = [...addresses, ...partsIn(mask, definitions)]
    .toSorted((one, other) => one.start - other.start)
    .filter(({ start, end }) => !tags.isWithin(start, end));
  let next = 0;
  let around: Range = { start: 0, end: 0 };
  return (place) => {
    for (let range = ranges[next]; range !== undefined && range.start <= place;) {
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
  for (const { open, from, to, isImage, isPaired } of bracketsIn(mask, definitions)) {
    if (!isPaired) continue;
    const reference = matchAt(REFERENCE, mask, to + 1);
    const own = to - from < 1000 ? mask.slice(from, to) : '';
    const isKnown = known.get(reference?.[1] || own) !== undefined;
    const length = Math.max(
      matchAt(INLINE, mask, to + 1)?.[0].length ?? 0,
      isKnown ? (reference?.[0].length ?? 0) : 0,
    );
    const end = to + 1 + length;
    const isWhole = isImage && (isKnown || length > 0) && !isCrossed(mask.slice(from, to));
    if (isWhole) yield { start: open, end };
    else if (length > 0) yield { start: to + 1, end };
  }
}

/** What begins in a description and does not end in it is HTML, and no image is there. */
const isCrossed = (description: string): boolean =>
  description.lastIndexOf('<') > description.lastIndexOf('>');

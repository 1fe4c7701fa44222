/** A part of a text that is to be replaced. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A part that people do not see, and what it is. */
export interface Hidden extends Edit {
  readonly kind: string;
  /** Nothing ends it: what is shown below all, such as footnotes, is in it. */
  readonly isOpen?: boolean;
}

/** The text with its edits made; of two that overlap, only the one that begins first, or is longer. */
export function edited(text: string, edits: readonly Edit[]): string {
  const inOrder = edits.toSorted((one, other) => one.start - other.start || other.end - one.end);
  let kept = '';
  let done = 0;
  for (const { start, end, text: replacement } of inOrder) {
    if (start < done) continue;
    kept += text.slice(done, start) + replacement;
    done = end;
  }
  return kept + text.slice(done);
}

/** Tells, for places in rising order, whether they stand in one of the ranges, which are in their order. */
export function within(
  ranges: readonly { readonly start: number; readonly end: number }[],
): (place: number) => boolean {
  let next = 0;
  let end = 0;
  return (place) => {
    for (let range = ranges[next]; range !== undefined && range.start <= place;) {
      end = Math.max(end, range.end);
      next += 1;
      range = ranges[next];
    }
    return place < end;
  };
}

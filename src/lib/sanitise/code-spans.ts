import { splitCode } from '../markdown-code.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * What may be code beyond what surely is, in its order: spans over several lines, and backticks that HTML
 * or a list makes doubtful. A reference in one is none.
 */
export function* doubtfulCode(text: string): Generator<Range> {
  let start = 0;
  for (const { code, text: piece } of splitCode(text)) {
    if (!code && piece.includes('`'))
      for (const paragraph of piece.split(/(?<=\n[ \t]*\n)/)) {
        yield* spansIn(paragraph, start);
        start += paragraph.length;
      }
    else start += piece.length;
  }
}

/** A run of backticks is closed by the next one of its length. */
function* spansIn(paragraph: string, start: number): Generator<Range> {
  const runs = [...paragraph.matchAll(/(?<!\\)`+/g)];
  const next = new Map<number, number>();
  const closers = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.[0].length ?? 0;
    closers[at] = next.get(length) ?? -1;
    next.set(length, at);
  }
  for (let at = 0; at < runs.length; at += 1) {
    const [opener, closer] = [runs[at], runs[closers[at] ?? -1]];
    if (opener === undefined || closer === undefined) continue;
    yield { start: start + opener.index, end: start + closer.index };
    at = closers[at] ?? at;
  }
}

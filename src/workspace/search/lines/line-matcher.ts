import type { FoundLine } from '../../../contracts/search.ts';
import type { LinePattern } from './pattern.ts';

const MAX_LINE_CHARACTERS = 300;
const MAX_BEFORE_MATCH = 60;
const MAX_WHOLE_CHARACTERS = 64 * 1024;

/** Finds the lines that match, each for itself: nothing in a pattern reaches over the end of a line. */
export class LineMatcher {
  readonly #line: RegExp;
  readonly #whole: RegExp | undefined;
  readonly #literal: Buffer | undefined;

  constructor({ source, flags, literal }: LinePattern) {
    this.#line = new RegExp(source, flags);
    // One call for the whole text is much faster than one for each line. Where it finds nothing no line
    // matches, unless something is forbidden to follow or precede, which the end of a line does not.
    this.#whole = /\(\?<?!/.test(source) ? undefined : new RegExp(source, `${flags}m`);
    this.#literal = literal === '' ? undefined : Buffer.from(literal);
  }

  /**
   * Up to `maxMatches` lines that match, and `context` lines around each; none in what is binary.
   * @throws {SyntaxError} for a pattern that is too large for the engine
   */
  search(content: Buffer, context: number, maxMatches: number): FoundLine[] {
    if (this.#literal !== undefined && !content.includes(this.#literal)) return [];
    if (content.includes(0)) return [];
    const text = content.toString().replace(/^\ufeff/, '');
    // In a long text an expression may go far before it gives up.
    const isShort = text.length <= MAX_WHOLE_CHARACTERS;
    if (isShort && this.#whole?.test(text) === false) return [];
    const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    if (lines.at(-1) === '') lines.pop(); // what follows a last line end is no line
    return linesAround(lines, this.#matchesIn(lines, maxMatches), context);
  }

  /** Where in its line each match begins, by the line's index. */
  #matchesIn(lines: readonly string[], maxMatches: number): ReadonlyMap<number, number> {
    const matches = new Map<number, number>();
    for (const [index, line] of lines.entries()) {
      const match = this.#line.exec(line);
      if (match !== null) matches.set(index, match.index);
      if (matches.size === maxMatches) break;
    }
    return matches;
  }
}

function linesAround(
  lines: readonly string[],
  matches: ReadonlyMap<number, number>,
  context: number,
): FoundLine[] {
  const shown = new Set<number>();
  for (const index of matches.keys())
    for (let near = index - context; near <= index + context; near += 1)
      if (near >= 0 && near < lines.length) shown.add(near);
  return [...shown].map((index) => ({
    number: index + 1,
    text: cutAround(lines[index] ?? '', matches.get(index) ?? 0),
    matches: matches.has(index),
  }));
}

function cutAround(line: string, match: number): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const start = Math.max(0, Math.min(match - MAX_BEFORE_MATCH, line.length - MAX_LINE_CHARACTERS));
  const end = start + MAX_LINE_CHARACTERS;
  const cut = line.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`;
}

/** What a test runner said of its tests. */
export interface TestResults {
  readonly failed: number | null;
  readonly passed: number | null;
  /** What it says of each that failed, beginning with its name. */
  readonly failures: readonly string[];
}

/** Reads the output of one runner, plain text; `undefined` where it is of another. */
export type ReadTests = (text: string) => TestResults | undefined;

/** The number before or after a word, in the last place where it stands. */
export function lastNumber(text: string, pattern: RegExp): number | null {
  const found = [...text.matchAll(pattern)].at(-1)?.[1];
  return found === undefined ? null : Number(found);
}

/** A text in blocks, each from a line that begins one to the next such line or the one that ends all. */
export function blocksOf(text: string, begins: RegExp, ends: RegExp = /^(?!)/): string[] {
  const blocks: string[][] = [];
  let isInside = false;
  for (const line of text.split('\n')) {
    if (begins.test(line)) {
      blocks.push([]);
      isInside = true;
    } else if (ends.test(line)) isInside = false;
    if (isInside) blocks.at(-1)?.push(line);
  }
  return blocks.map((lines) => lines.join('\n').trim());
}

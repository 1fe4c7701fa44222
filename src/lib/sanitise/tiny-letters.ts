// Elements that make letters smaller: enough of them in each other leave nothing that could be read.
import { VOID, type Tag } from './hidden-elements.ts';

/** By how many steps each does. */
const STEPS: ReadonlyMap<string, number> = new Map([
  ...'code h5 h6 pre samp small sub sup tt'.split(' ').map((name) => [name, 1] as const),
  ['rt', 2],
]);
/** A letter is a third as high behind one more, where each takes a quarter. */
const MOST = 3;
/** What may part two tags: a browser leaves out an end that stands in something else. */
const PARTS = /\n[ \t]*[\n>*+\-\d#`~|<=_:[&]/;

/** Follows the elements that are open, for tags in their order. */
export class TinyLetters {
  readonly #text: string;
  readonly #open: Tag[] = [];
  #smaller = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Whether the letters behind a tag are too small; then it is not followed. Not each end is one. */
  begin(tag: Tag, mayBeNone: boolean): boolean {
    const steps = STEPS.get(tag.name) ?? 0;
    if (tag.closes) {
      if (!mayBeNone) this.#close(tag, steps);
      return false;
    }
    if (steps > 0 && this.#smaller + steps > MOST) return true;
    this.#smaller += steps;
    if (!VOID.has(tag.name)) this.#open.push(tag);
    return false;
  }

  #close({ name, start }: Tag, steps: number): void {
    const last = this.#open.at(-1);
    if (last?.name !== name) return;
    this.#open.pop();
    if (steps > 0 && !PARTS.test(this.#text.slice(last.end, start))) this.#smaller -= steps;
  }
}

// Elements that make letters smaller: enough of them in each other leave nothing that could be read.
import { VOID, type Tag } from './hidden-elements.ts';

const SMALLER = new Set('code samp small sub sup tt'.split(' '));
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
    const isSmaller = SMALLER.has(tag.name);
    if (tag.closes) {
      if (!mayBeNone) this.#close(tag, isSmaller);
      return false;
    }
    if (isSmaller && this.#smaller === MOST) return true;
    if (isSmaller) this.#smaller += 1;
    if (!VOID.has(tag.name)) this.#open.push(tag);
    return false;
  }

  #close({ name, start }: Tag, isSmaller: boolean): void {
    const last = this.#open.at(-1);
    if (last?.name !== name) return;
    this.#open.pop();
    if (isSmaller && !PARTS.test(this.#text.slice(last.end, start))) this.#smaller -= 1;
  }
}

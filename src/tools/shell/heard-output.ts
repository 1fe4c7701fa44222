import { cutMiddle } from '../../lib/text/text.ts';
import { plainOutput } from './plain-output.ts';

/** Characters: more than a shell keeps, as failures may be reported in the middle. */
const MOST = 1024 * 1024;

/** What a command puts out, as far as it is read for results, passed on as it comes. */
export class HeardOutput {
  #text = '';
  readonly #next: ((text: string) => void) | undefined;

  constructor(next: ((text: string) => void) | undefined) {
    this.#next = next;
  }

  readonly hear = (more: string): void => {
    this.#text += more;
    // Cut rarely: most parts are small.
    if (this.#text.length > 2 * MOST) this.#text = cutMiddle(this.#text, MOST);
    this.#next?.(more);
  };

  plain(): string {
    return plainOutput(cutMiddle(this.#text, MOST)).trimEnd();
  }
}

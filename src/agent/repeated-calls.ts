import type { Call } from '../contracts/model.ts';

/** How often in a row a model makes the very same call. */
export class RepeatedCalls {
  #last = '';
  #times = 0;

  /** `isFirst`: of its reply. Within one reply the model did not have the answer yet. */
  count(call: Call, isFirst: boolean): void {
    const key = keyOf(call);
    if (key !== this.#last || this.#times === 0) this.#times = 1;
    else if (isFirst) this.#times += 1;
    this.#last = key;
  }

  /** What comes next is not the same again. */
  interrupt(): void {
    this.#times = 0;
  }

  /** How often this call was made last, with nothing else in between. */
  timesOf(call: Call): number {
    return keyOf(call) === this.#last ? this.#times : 0;
  }
}

const keyOf = ({ tool, arguments: args }: Call): string => `${tool} ${JSON.stringify(args)}`;

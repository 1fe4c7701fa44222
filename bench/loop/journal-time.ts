import type { Model } from '../../src/contracts/model.ts';
import type { Store } from '../../src/store/store.ts';

/** Adds up what a run waits for its database, for each turn: from a reply to the next request. */
export class JournalTime {
  /** Milliseconds. */
  readonly perTurn: number[] = [];

  /** The same store, with the time taken of what a run asks between two requests. */
  timing(store: Store): Store {
    return {
      ...store,
      append: (...given) => this.#timed(store.append(...given)),
      journal: (...given) => this.#timed(store.journal(...given)),
      spent: (...given) => this.#timed(store.spent(...given)),
    };
  }

  async #timed<T>(asked: Promise<T>): Promise<T> {
    const before = performance.now();
    const answer = await asked;
    const turn = this.perTurn.length - 1;
    if (turn >= 0) this.perTurn[turn] = (this.perTurn[turn] ?? 0) + performance.now() - before;
    return answer;
  }

  /** The same model; each of its replies begins a turn. */
  countingTurns(model: Model): Model {
    return {
      ...model,
      reply: async (request) => {
        const reply = await model.reply(request);
        this.perTurn.push(0);
        return reply;
      },
    };
  }
}

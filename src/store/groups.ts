import { setTimeout as pause } from 'node:timers/promises';

interface GroupLimits {
  /** Items of a group. */
  readonly count: number;
  /** Milliseconds between the end of a group and the next one. */
  readonly restMs: number;
}

/**
 * Calls `act` with all items that were added while the call before was under way, one call at a time and in their
 * order. A single item is a group at once. `act` must not reject.
 */
export class Groups<Item> {
  readonly #act: (group: readonly Item[]) => Promise<void>;
  readonly #limits: GroupLimits;
  readonly #waiting: Item[] = [];
  #running: Promise<void> | undefined;

  constructor(act: (group: readonly Item[]) => Promise<void>, limits: GroupLimits) {
    this.#act = act;
    this.#limits = limits;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop goes together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      await this.#act(this.#waiting.splice(0, this.#limits.count));
      await pause(this.#limits.restMs);
    }
    this.#running = undefined;
  }
}

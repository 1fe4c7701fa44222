import { setTimeout as pause } from 'node:timers/promises';

interface GroupLimits<Item> {
  /** Items of a group. */
  readonly count: number;
  /** The sum of their weights; a heavier item is a group of its own. */
  readonly weight: number;
  readonly weigh: (item: Item) => number;
  /** Milliseconds between the end of a group and the next one; none by default. */
  readonly restMs?: number;
}

/**
 * Calls `act` with all items that were added while the call before was under way, one call at a time and in their
 * order. A single item is a group at once. `act` must not reject.
 */
export class Groups<Item> {
  readonly #act: (group: readonly Item[]) => Promise<void>;
  readonly #limits: GroupLimits<Item>;
  #waiting: Item[] = [];
  #running: Promise<void> | undefined;

  constructor(act: (group: readonly Item[]) => Promise<void>, limits: GroupLimits<Item>) {
    this.#act = act;
    this.#limits = limits;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#running ??= this.#run();
  }

  /** For `act`: these come first in the next group. */
  putBack(items: readonly Item[]): void {
    this.#waiting.unshift(...items);
  }

  /** Resolves when nothing is waiting or under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    // What arrives in the same turn of the event loop goes together.
    await new Promise(setImmediate);
    while (this.#waiting.length > 0) {
      await this.#act(this.#take());
      if (this.#limits.restMs !== undefined) await pause(this.#limits.restMs);
    }
    this.#running = undefined;
  }

  #take(): readonly Item[] {
    const { count, weight, weigh } = this.#limits;
    let size = 0;
    let weighs = 0;
    for (const item of this.#waiting) {
      weighs += weigh(item);
      if (size > 0 && (size === count || weighs > weight)) break;
      size += 1;
    }
    return this.#waiting.splice(0, size);
  }
}

import { messageOf } from '../../lib/errors.ts';
import { dollarsOf } from '../../session/dollars-of.ts';
import type { Entry } from '../../session/entry.ts';

/** What a session has cost so far, written as it is known. */
export class Counted {
  dollars = 0;
  turns = 0;
  readonly #write: (dollars: number) => void;
  #failure: Error | undefined;

  constructor(write: (dollars: number) => void) {
    this.#write = write;
  }

  hear(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (entry.type === 'reply') this.turns += 1;
      const dollars = dollarsOf(entry);
      if (dollars === null) continue;
      this.dollars += dollars;
      try {
        this.#write(dollars);
      } catch (error) {
        this.#failure ??= error instanceof Error ? error : new Error(messageOf(error));
      }
    }
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

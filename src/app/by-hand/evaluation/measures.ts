// What an attempt took, computed from what was journaled.
import { z } from 'zod';
import type { Effect } from '../../../contracts/effect.ts';
import type { Usage } from '../../../contracts/model.ts';
import type { Entry } from '../../../session/entry.ts';
import { dollarsOf } from '../../../session/kept-entries.ts';

/** As it is written to files of results. */
export const measuresSchema = z.object({
  /** Replies of the model that continue the conversation. */
  turns: z.number(),
  /** All replies, those of reviews and summaries too. */
  replies: z.number(),
  calls: z.number(),
  /** Calls that did not do what they say; a command that ran did, whatever its exit code. */
  failedCalls: z.number(),
  /** Tokens of all requests; `cached` of them were read from the provider's cache. */
  input: z.number(),
  cached: z.number(),
  /** Tokens of all replies. */
  output: z.number(),
  /** US dollars, as far as prices are known. */
  dollars: z.number(),
  /** Some reply has no known price. */
  isPartial: z.boolean(),
  minutes: z.number(),
  /** Without the time of the model and that of commands. */
  harnessSeconds: z.number(),
  /** From the start to the first request to the model. */
  startSeconds: z.number(),
});
export type Measures = z.output<typeof measuresSchema>;

/** Hears what is journaled from its making on. */
export class RunMeasurement {
  readonly #began = performance.now();
  #counts = { turns: 0, replies: 0, calls: 0, failedCalls: 0, input: 0, cached: 0, output: 0 };
  #dollars = 0;
  #isPartial = false;
  #modelMs = 0;
  #commandMs = 0;
  #startMs: number | undefined;

  hear(entries: readonly Entry[]): void {
    for (const entry of entries) this.#hear(entry);
  }

  #hear(entry: Entry): void {
    this.#dollars += dollarsOf(entry) ?? 0;
    if (entry.type === 'reply') {
      this.#counts.turns += 1;
      this.#counts.calls += entry.calls.length;
      this.#startMs ??= performance.now() - this.#began - entry.durationMs;
      this.#hearReply(entry);
    } else if (entry.type === 'compacted' && entry.summary !== null) this.#hearReply(entry);
    else if (entry.type === 'call_finished') {
      const { ok, effects } = entry;
      const ranCommand = effects.some(({ type }) => type === 'command' || type === 'tests');
      if (!ok && !ranCommand) this.#counts.failedCalls += 1;
      for (const effect of effects) {
        if (isReply(effect)) this.#hearReply(effect);
        if ('command' in effect && 'durationMs' in effect) this.#commandMs += effect.durationMs;
      }
    }
  }

  #hearReply({ usage, cost, durationMs = 0 }: PaidRequest): void {
    this.#counts.replies += 1;
    this.#counts.input += usage.input;
    this.#counts.cached += usage.cached;
    this.#counts.output += usage.output;
    this.#isPartial ||= cost === null;
    this.#modelMs += durationMs;
  }

  /** Up to now. */
  get measures(): Measures {
    const passed = performance.now() - this.#began;
    return {
      ...this.#counts,
      dollars: this.#dollars,
      isPartial: this.#isPartial,
      minutes: passed / 60_000,
      harnessSeconds: (passed - this.#modelMs - this.#commandMs) / 1000,
      startSeconds: (this.#startMs ?? passed) / 1000,
    };
  }
}

interface PaidRequest {
  readonly usage: Usage;
  readonly cost: number | null;
  readonly durationMs?: number;
}

/** A review that is taken over to a commit, and what an embedding server got, are no replies. */
const isReply = (effect: Effect): effect is Effect & PaidRequest =>
  'usage' in effect && 'cost' in effect && effect.usage.output > 0;

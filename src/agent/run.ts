import type { Toolbox } from './dispatch.ts';
import type { AgentEntry, LoopEnd, NewAgentEntry } from './entries.ts';
import type { History } from './history.ts';
import type { Limits, Spending } from './limits.ts';
import type { Memory } from './memory/settings.ts';
import type { Call, Model } from './model.ts';
import type { Protocol } from './protocol.ts';

/** A call, by the reply that asked for it and its place there. */
export interface CallPlace {
  readonly reply: number;
  readonly index: number;
}

/** What people said since it was last asked: `upTo` is the last journal entry that it covers. */
export type Inbox = () => Promise<{ readonly upTo: number; readonly text: string } | undefined>;

export interface Run<Effect> {
  readonly model: Model;
  readonly tools: Toolbox<Effect>;
  /** `single`: one reply, and what it asks for. */
  readonly mode: 'agent' | 'single';
  /** The conversation so far; an interrupted run is resumed by filling it from the journal. */
  readonly history: History<Effect>;
  readonly inbox: Inbox;
  /** What the service has to tell the model before its next request, each topic once. */
  readonly notices: () => Promise<readonly { readonly topic: string; readonly text: string }[]>;
  readonly limits: Limits;
  readonly spending: () => Promise<Spending>;
  readonly memory: Memory;
  /** How the run goes on when the provider refuses tools; `undefined`: it does not. */
  readonly withoutTools: Protocol | undefined;
  /** The call that ends the work in the name of a model that ended it in words. */
  readonly conclude: (answer: string) => Call;
  readonly cacheKey: string;
  /** Hears what a call puts out while it runs. Must not throw. */
  readonly progress?: ((call: CallPlace, text: string) => void) | undefined;
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
  /** Milliseconds since the run began, without what it was put aside for. */
  readonly elapsedMs: () => number;
}

/** A run yields an entry and gets it back as it was stored; it goes on only then. */
export type Steps<Effect, Result> = AsyncGenerator<
  NewAgentEntry<Effect>,
  Result,
  AgentEntry<Effect>
>;

/**
 * One way to carry out a run: with tools until it ends (`agentRunner`), or by one answer
 * (`completionRunner`).
 * @throws {TellPerson | TryLater} what the model adapter or a tool throws for others than the model
 */
export type Runner = <Effect>(run: Run<Effect>) => Steps<Effect, LoopEnd>;

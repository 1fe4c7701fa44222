import type { Toolbox } from './dispatch.ts';
import type { AgentEntry, CallPlace, LoopEnd, NewAgentEntry } from '../contracts/entries.ts';
import type { History } from './history.ts';
import type { Limits, Spending } from './limits.ts';
import type { Memory } from './memory/settings.ts';
import type { Call, Model } from '../contracts/model.ts';
import type { Protocol } from './protocol.ts';

/** What people said since it was last asked: `upTo` is the last journal entry that it covers. */
export type Inbox = () => Promise<{ readonly upTo: number; readonly text: string } | undefined>;

export interface Run {
  readonly model: Model;
  readonly tools: Toolbox;
  /** `single`: one reply, and what it asks for. */
  readonly mode: 'agent' | 'single';
  /** The conversation so far; an interrupted run is resumed by filling it from the journal. */
  readonly history: History;
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
export type Steps<Result> = AsyncGenerator<NewAgentEntry, Result, AgentEntry>;

/**
 * One way to carry out a run: with tools until it ends (`agentRunner`), or by one answer
 * (`completionRunner`).
 * @throws {TellPerson | TryLater} what the model adapter or a tool throws for others than the model
 */
export type Runner = (run: Run) => Steps<LoopEnd>;

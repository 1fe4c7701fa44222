import type {
  AgentEntry,
  CallPlace,
  NewAgentEntry,
  RunMode,
  ReliefSettings,
} from '../contracts/entries.ts';
import type { NumberedImage } from '../contracts/image.ts';
import type { Model } from '../contracts/model.ts';
import type { AgentLimits, LoopEnd, RunTotals, SpentDollars } from './limits.ts';
import type { Toolbox } from './dispatch.ts';
import type { History } from './history.ts';
import type { Protocol } from './protocols/protocol.ts';

/** Everything that the loop works with. */
export interface Run {
  readonly mode: RunMode;
  readonly model: Model;
  readonly tools: Toolbox;
  /** The conversation so far; an interrupted run is resumed by filling it from the journal. */
  readonly history: History;
  readonly limits: AgentLimits;
  readonly relief: ReliefSettings;
  readonly io: RunIo;
  /** What replaces the provider's tool calling if it does not support tools; `undefined`: nothing. */
  readonly fallback: Protocol | undefined;
  /** Equal for all requests of one session: lets providers cache their prefix. */
  readonly cacheKey: string;
  readonly signal: AbortSignal;
}

/** What the loop needs of the outside besides the model and the tools. */
export interface RunIo {
  /** Asked before each request: what the model should hear now, or why the run ends here. */
  readonly hear: () => Promise<News | { readonly end: LoopEnd }>;
  /** Why the work must not end yet, for the model: people wait. Missing if nobody says anything during a run. */
  readonly whyNotYet?: () => Promise<string | undefined>;
  readonly spending: () => Promise<SpentDollars>;
  /** Milliseconds of work on this run, without the time that it was paused or deferred. */
  readonly elapsedMs: () => number;
  /** Output of a call while it runs. Must not throw. */
  readonly progress: (call: CallPlace, text: string) => void;
  /** Removes secrets from a text, for people and for the journal. */
  readonly redact: (text: string) => string;
  /** The same from what a tool says to the model. */
  readonly redactForModel: (text: string) => Promise<string>;
}

export interface News {
  /** What people said since the last request; `upTo` is the last journal entry that it covers. */
  readonly input: NewInput | undefined;
  /** Notices from the service; the model gets each topic once. */
  readonly notices: readonly Notice[];
}

interface NewInput {
  readonly upTo: number;
  readonly text: string;
  readonly images?: readonly NumberedImage[];
}

export interface Notice {
  readonly topic: string;
  readonly text: string;
}

/** A run yields an entry and gets it back as it was stored; only then it continues. */
export type Steps<Result> = AsyncGenerator<NewAgentEntry, Result, AgentEntry>;

export async function spentBy({ history, io }: Run): Promise<RunTotals> {
  return { ...history.used, elapsedMs: io.elapsedMs(), spending: await io.spending() };
}

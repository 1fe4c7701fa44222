import type { Usage } from './model.ts';

/** A tool call as the model wrote it. */
export interface Call {
  readonly tool: string;
  readonly arguments: unknown;
}

/** How a run may be ended by one of its own calls; `failed`: its output says why, to the person. */
export type Halt = 'asked' | 'finished' | 'failed';

/** What people said since the last request, as the model reads it. `upTo` is the last entry covered. */
interface InputTaken {
  readonly type: 'input_taken';
  readonly upTo: number;
  readonly text: string;
}

export interface Reply {
  readonly type: 'reply';
  /** The reply verbatim: it goes back to the model as it came. */
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly Call[];
  /** What was wrong with its form, as the model is told; none of its calls is run. */
  readonly fault: string | null;
  readonly usage: Usage;
  /** Milliseconds from request to end of reply. */
  readonly took: number;
}

/** `reply` is the `seq` of the reply that holds the call, `index` its place there from 0. */
interface CallStarted {
  readonly type: 'call_started';
  readonly reply: number;
  readonly index: number;
  readonly title: string;
}

export interface CallFinished<Effect> {
  readonly type: 'call_finished';
  readonly reply: number;
  readonly index: number;
  readonly ok: boolean;
  readonly output: string;
  readonly effects: readonly Effect[];
  readonly halt: Halt | null;
}

/** What the loop yields, in the order in which it happens. */
export type NewAgentEntry<Effect> = InputTaken | Reply | CallStarted | CallFinished<Effect>;

/** The same with its place in the journal, which the loop gets back for each that it yields. */
export type AgentEntry<Effect> = NewAgentEntry<Effect> & {
  readonly seq: number;
  readonly at: string;
};

export type LoopEnd =
  | { readonly kind: 'asked' | 'finished' }
  | { readonly kind: 'limit'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string };

import type { Call, Native, Usage } from './model.ts';

/** `none`: no tools at all, every reply is an answer. */
export type ProtocolName = 'native' | 'json' | 'react' | 'none';

/** How a run may be ended by one of its own calls; `failed`: its output says why, to the person. */
type Halt = 'asked' | 'finished' | 'failed';

/** What people said since the last request, as the model reads it. `upTo` is the last entry covered. */
interface InputTaken {
  readonly type: 'input_taken';
  readonly upTo: number;
  readonly text: string;
}

/** What the service tells the model of its own accord, once for each `topic` in a run. */
interface Notice {
  readonly type: 'notice';
  readonly topic: string;
  readonly text: string;
}

export interface Reply {
  readonly type: 'reply';
  /** The protocol that it was read under. */
  readonly protocol: ProtocolName;
  /** The reply verbatim: it goes back to the model as it came. */
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly Call[];
  /**
   * The words in which the model ended its work without a call. `calls` then holds the one call
   * that ends it in the model's name.
   */
  readonly answer: string | null;
  /** What was wrong with its form, as the model is told; none of its calls is run. */
  readonly fault: string | null;
  readonly stop: 'end' | 'cut' | 'refused';
  readonly native: Native | null;
  readonly usage: Usage;
  /** US dollars; `null`: the price is not known. */
  readonly cost: number | null;
  /** Milliseconds from request to end of reply. */
  readonly took: number;
}

/**
 * Journaled before a call acts that reaches beyond the workspace. `reply` is the `seq` of the reply
 * that holds the call, `index` its place there from 0.
 */
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
  /** Of a call that was run without a `call_started`. */
  readonly title?: string;
}

/** The provider would not have the protocol that the run was prepared with: it goes on with this. */
interface ProtocolChanged {
  readonly type: 'protocol_changed';
  readonly protocol: ProtocolName;
  /** The system prompt, whole, as it is from here on. */
  readonly instructions: string;
  /** Why, in words for people. */
  readonly reason: string;
}

/** All but the first message up to the entry `upTo` has left the conversation. */
export interface Compacted {
  readonly type: 'compacted';
  readonly upTo: number;
  /** What stands in their place; `null` where they were only dropped. */
  readonly summary: string | null;
  readonly usage: Usage;
  readonly cost: number | null;
  /** Milliseconds that the summary took. */
  readonly took: number;
}

/** What the loop yields, in the order in which it happens. */
export type NewAgentEntry<Effect> =
  | InputTaken
  | Notice
  | Reply
  | CallStarted
  | CallFinished<Effect>
  | ProtocolChanged
  | Compacted;

/** The same with its place in the journal, which the loop gets back for each that it yields. */
export type AgentEntry<Effect> = NewAgentEntry<Effect> & {
  readonly seq: number;
  readonly at: string;
};

/** `answered`: by a runner without tools, in the words of its last reply. */
export type LoopEnd =
  | { readonly kind: 'asked' | 'finished' | 'answered' }
  | { readonly kind: 'limit'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string };

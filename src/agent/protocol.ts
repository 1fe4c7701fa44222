import type { ProtocolName, Reply } from '../contracts/entries.ts';
import type { Call, Message, ModelReply, ToolSpec } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';

/** A reply as it came, with the tools that it may call. */
export interface ReceivedReply extends Pick<ModelReply, 'text' | 'reasoning' | 'calls' | 'stop'> {
  readonly tools: readonly Tool[];
}

/** A reply as a protocol understands it: calls, or an answer that ends the work, or a fault. */
export interface ReplyReading {
  readonly thought: string;
  readonly calls: readonly Call[];
  /** The final answer for people, if the reply is one; then there are no calls. */
  readonly answer: string | null;
  /** What is wrong with its form, in the text for the model; then none of its calls is run. */
  readonly fault: string | null;
}

export interface CallOutcome {
  readonly ok: boolean;
  readonly output: string;
}

/** A reply with what came of its calls, in their order: all of them, or none for a faulty reply. */
export interface Turn {
  readonly reply: Reply & { readonly seq: number };
  readonly outcomes: readonly CallOutcome[];
}

/** How a model is asked to call tools, and how its replies are read. Pure; nothing here throws. */
export interface Protocol {
  readonly name: ProtocolName;
  /** The part of the system prompt that says how to call tools; may be empty. */
  instructions(tools: readonly Tool[]): string;
  /** The tools as the provider gets them; empty if the system prompt describes them. */
  specs(tools: readonly Tool[]): readonly ToolSpec[];
  read(reply: ReceivedReply): ReplyReading;
  /**
   * A turn as messages of the conversation: the reply, then its results or what was wrong with it. A turn that
   * was read under another protocol is shown in the form of this one.
   */
  messages(turn: Turn): readonly Message[];
}

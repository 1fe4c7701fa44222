// The format of a script: the turns of a scripted model, as JSON.
import { z } from 'zod';

/** A regular expression as text. It must compile. */
const Pattern = z.string().refine(
  (text) => {
    try {
      return new RegExp(text).source !== '';
    } catch {
      return false;
    }
  },
  { error: 'is no valid regular expression' },
);

const ToolCall = z.strictObject({
  tool_name: z.string().min(1),
  arguments: z.record(z.string(), z.unknown()),
});

const Turn = z
  .strictObject({
    /**
     * A reply in the form that the request asks for: native calls, the tags of ReAct, or the object of the
     * JSON protocol.
     */
    say: z.strictObject({ plan: z.string(), tool_calls: z.array(ToolCall) }).optional(),
    /** A literal reply, for any form. */
    raw: z.string().optional(),
    /** The reasoning that the provider sends before the reply. */
    reasoning: z.string().min(1).optional(),
    /** Time before the first byte of the answer. */
    delay_ms: z.int().nonnegative().optional(),
    /** Must match the messages since the last reply; otherwise the request fails with what was expected. */
    when: Pattern.optional(),
    /** Ends in the middle, like a reply that reached its length limit. */
    cut: z.boolean().optional(),
    /** Fails with this HTTP status. */
    status: z.int().min(400).max(599).optional(),
    /** Ends the stream in the middle, without an end marker. */
    die: z.boolean().optional(),
    /** How often `cut`, `status` or `die` happens before the turn is answered normally. */
    times: z.int().positive().default(1),
  })
  .refine((turn) => (turn.say === undefined) !== (turn.raw === undefined), {
    error: 'a turn has either `say` or `raw`',
  });

export const Script = z.strictObject({
  /** Must match the first user message. Without it, the script is for every conversation. */
  match: Pattern.optional(),
  /** The answer to a request for a summary of the conversation. */
  summary: z.string().min(1).optional(),
  /** The answers to requests for a review of the change, one after the other; then `nothing`. */
  reviews: z.array(z.string().min(1)).default([]),
  /** Rejects requests with tools, like the server of a model without tool calling. */
  tools_unsupported: z.boolean().optional(),
  /** Rejects longer requests, like the server of a model with a short context. */
  context_bytes: z.int().positive().optional(),
  turns: z.array(Turn).min(1),
});

export type Script = z.input<typeof Script>;
export type ParsedScript = z.output<typeof Script>;
export type ScriptTurn = z.output<typeof Turn>;

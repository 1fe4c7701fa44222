// The format of a script: what a scripted model says, turn by turn. Plain JSON.
import { z } from 'zod';

/** A regular expression as text; refused when it does not compile. */
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
     * A reply in the form that the request asks for: calls of the provider's own, the tags of ReAct,
     * or the object of the JSON protocol.
     */
    say: z.strictObject({ plan: z.string(), tool_calls: z.array(ToolCall) }).optional(),
    /** A reply word for word, in any form. */
    raw: z.string().optional(),
    /** What the provider shows of the model's thinking before the reply. */
    reasoning: z.string().min(1).optional(),
    /** Time before the first byte of the answer. */
    delay_ms: z.int().nonnegative().optional(),
    /** Must match what came since the last reply; otherwise the turn is refused, naming what was expected. */
    when: Pattern.optional(),
    /** Ends in the middle, as a reply cut for its length. */
    cut: z.boolean().optional(),
    /** Refuses with this HTTP status instead of answering. */
    status: z.int().min(400).max(599).optional(),
    /** Breaks the stream off in the middle, with no end marker. */
    die: z.boolean().optional(),
    /** How often the trouble of `cut`, `status` or `die` happens; then the turn is answered. */
    times: z.int().positive().default(1),
  })
  .refine((turn) => (turn.say === undefined) !== (turn.raw === undefined), {
    error: 'a turn has either `say` or `raw`',
  });

export const Script = z.strictObject({
  /** Tested on the first user message; a script without it takes every conversation. */
  match: Pattern.optional(),
  /** The answer to a request for a summary of the conversation. */
  summary: z.string().min(1).optional(),
  /** Answers requests that hold tools as the server of a model without tool calling does. */
  refuse_tools: z.boolean().optional(),
  /** Refuses longer requests as the server of a model with a short context does. */
  context_bytes: z.int().positive().optional(),
  turns: z.array(Turn).min(1),
});

export type Script = z.input<typeof Script>;
export type ParsedScript = z.output<typeof Script>;
export type ScriptTurn = z.output<typeof Turn>;

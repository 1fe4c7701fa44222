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
    /** A reply of the JSON protocol. */
    say: z.strictObject({ plan: z.string(), tool_calls: z.array(ToolCall) }).optional(),
    /** A reply word for word. */
    raw: z.string().optional(),
    /** Time before the first byte of the answer. */
    delay_ms: z.int().nonnegative().optional(),
    /** Must match the last user message; otherwise the server refuses, naming what it expected. */
    when: Pattern.optional(),
    /** Ends in the middle of the text, as a reply cut for its length. */
    cut: z.boolean().optional(),
    /** Refuses with this HTTP status instead of answering. */
    status: z.int().min(400).max(599).optional(),
    /** Breaks the stream off in the middle of the text, with no end marker. */
    die: z.boolean().optional(),
    /** How often the trouble of `cut`, `status` or `die` happens; then the turn is answered. */
    times: z.int().positive().default(1),
  })
  .refine((turn) => (turn.say === undefined) !== (turn.raw === undefined), {
    error: 'a turn has either `say` or `raw`',
  });

/**
 * The turn is found by counting the assistant's messages in the request, so a script goes on where it
 * was for a client that comes back after it was killed.
 */
export const Script = z.strictObject({
  /** Tested on the first user message; a script without it takes every conversation. */
  match: Pattern.optional(),
  turns: z.array(Turn).min(1),
});

export type Script = z.input<typeof Script>;
export type ScriptTurn = z.output<typeof Turn>;
export type ParsedScript = z.output<typeof Script>;

export interface ScriptedMessage {
  readonly role: string;
  readonly text: string;
}

/** The turn that comes next, or in words why there is none. */
export function findTurn(
  scripts: readonly ParsedScript[],
  messages: readonly ScriptedMessage[],
): { turn: ScriptTurn; index: number } | { refusal: string } {
  const asked = messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  const first = asked[0] ?? '';
  const script = scripts.find(({ match }) => match === undefined || new RegExp(match).test(first));
  if (script === undefined)
    return { refusal: `no script matches the first user message: ${excerpt(first)}` };
  const index = messages.filter(({ role }) => role === 'assistant').length;
  const turn = script.turns[index];
  if (turn === undefined)
    return {
      refusal: `the script has ${script.turns.length} turns, and turn ${index + 1} was asked`,
    };
  const last = asked.at(-1) ?? '';
  if (turn.when !== undefined && !new RegExp(turn.when).test(last))
    return {
      refusal: `turn ${index + 1} expects /${turn.when}/ in the last user message, which is: ${excerpt(last)}`,
    };
  return { turn, index };
}

/** The text of a turn as the model would write it. */
export function textOf(turn: ScriptTurn): string {
  return turn.raw ?? JSON.stringify(turn.say);
}

const EXCERPT = 200;
const excerpt = (text: string): string =>
  JSON.stringify(text.length > EXCERPT ? `…${text.slice(-EXCERPT)}` : text);

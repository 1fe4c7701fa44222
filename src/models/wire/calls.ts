import { randomUUID } from 'node:crypto';
import { messageOf } from '../../lib/errors.ts';
import type { Call, ToolSpec } from '../../contracts/model.ts';
import { faultOfArguments } from '../../agent/protocols/protocol.ts';
import { whyUnreadable } from '../../agent/protocols/json-reader.ts';
import { readJson } from '../../agent/protocols/relaxed-json.ts';
import { ARGUMENTS } from '../../agent/prompts/replies.ts';
import { sentValue } from './sent-text.ts';

type Arguments = Pick<Call, 'arguments' | 'fault'>;

/**
 * The arguments of a native call, from the text that the model wrote or, for servers that parse it, from
 * the value. Empty text means no arguments. An object encoded as a JSON string is unwrapped. Anything
 * else that is not a JSON object, has a key twice, or is nested too deeply to be written again, is a fault;
 * the text is kept for people to see.
 */
export function readArguments(given: unknown): Arguments {
  if (typeof given !== 'string') return usable(given ?? {}, {});
  if (given.trim() === '') return { arguments: {} };
  try {
    const outer: unknown = JSON.parse(given);
    const text = typeof outer === 'string' ? outer || '{}' : given;
    const read = usable(JSON.parse(text), given);
    // `JSON.parse` would keep the last of two equal keys, and the model may mean the first.
    const exact = readJson(text, 0);
    if (read.fault !== undefined || exact.ok) return read;
    return {
      arguments: given,
      fault: `The arguments cannot be used: ${whyUnreadable(text, exact)}.`,
    };
  } catch (error) {
    return { arguments: given, fault: `The arguments are not valid JSON: ${messageOf(error)}` };
  }
}

/** `shown` replaces arguments that are not usable. */
function usable(value: unknown, shown: string | object): Arguments {
  const fault = isObject(value) ? faultOfArguments(value) : 'noObject';
  return fault === null
    ? { arguments: value }
    : { arguments: shown, fault: `The arguments ${ARGUMENTS[fault]}.` };
}

/**
 * The arguments of a call as they are sent back to a server. Invalid arguments are sent as `{}`: many
 * servers parse them and would fail this request and every later one.
 */
export const sentArguments = ({ arguments: given }: Call): Readonly<Record<string, unknown>> =>
  isObject(given) ? sentValue(given) : {};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A call that the server could not parse, built from the server's message. It carries a fault, so that the
 * model reads about it as the result of its call and can correct it. A reply without calls would count as
 * the end of the work, and an error would fail the run.
 */
export function unreadableCall(words: string, tools: readonly ToolSpec[]): Call {
  const named = new Set(words.split(/[^\w-]+/));
  return {
    tool: tools.find(({ name }) => named.has(name))?.name ?? 'unreadable_call',
    arguments: words,
    id: `call_${randomUUID()}`,
    fault:
      'The call could not be read. Call one of the listed tools, with one JSON object as its arguments.',
  };
}

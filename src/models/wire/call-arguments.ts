import { messageOf } from '../../lib/errors.ts';
import type { Call } from '../../contracts/model.ts';
import { faultOfArguments } from '../../agent/protocols/call-checks.ts';
import { sentValue } from './sent-text.ts';

type Arguments = Pick<Call, 'arguments' | 'fault'>;

/**
 * The arguments of a native call from the text that the model wrote for them, or, at servers that send
 * it parsed, from its value. No text at all means none; an object in the JSON of a string is taken out
 * of it. Anything else that is no JSON object is a fault, and the text stays for people to see; so is
 * what is nested so deeply that it could not be written again.
 */
export function readArguments(given: unknown): Arguments {
  if (typeof given !== 'string') return usable(given ?? {}, {});
  if (given.trim() === '') return { arguments: {} };
  try {
    const outer: unknown = JSON.parse(given);
    const value: unknown = typeof outer === 'string' ? JSON.parse(outer || '{}') : outer;
    return usable(value, given);
  } catch (error) {
    return { arguments: given, fault: `The arguments are not valid JSON: ${messageOf(error)}` };
  }
}

/** `shown` stands in the place of those that are not. */
function usable(value: unknown, shown: string | object): Arguments {
  const fault = isObject(value) ? faultOfArguments(value) : 'are not a JSON object';
  return fault === null
    ? { arguments: value }
    : { arguments: shown, fault: `The arguments ${fault}.` };
}

/**
 * The arguments of a call as a server is sent them. Those with a fault go as none: many servers parse
 * them, and would refuse this request and each that follows.
 */
export const sentArguments = ({ arguments: given }: Call): Readonly<Record<string, unknown>> =>
  isObject(given) ? sentValue(given) : {};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

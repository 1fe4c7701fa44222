import { messageOf } from '../../lib/errors.ts';
import type { Call } from '../../agent/model.ts';
import { sentValue } from './sent-text.ts';

/**
 * The arguments of a native call from the text that the model wrote for them. No text at all means
 * none; an object in the JSON of a string is taken out of it. Anything else that is no JSON object is
 * a fault, and the text stays for people to see.
 */
export function readArguments(text: string): Pick<Call, 'arguments' | 'fault'> {
  if (text.trim() === '') return { arguments: {} };
  try {
    const outer: unknown = JSON.parse(text);
    const value: unknown = typeof outer === 'string' ? JSON.parse(outer || '{}') : outer;
    if (isObject(value)) return { arguments: value };
    return { arguments: text, fault: 'The arguments are not a JSON object.' };
  } catch (error) {
    return { arguments: text, fault: `The arguments are not valid JSON: ${messageOf(error)}` };
  }
}

/**
 * The arguments of a call as a server is sent them. Those with a fault go as none: many servers parse
 * them, and would refuse this request and each that follows.
 */
export const sentArguments = ({ arguments: given }: Call): Readonly<Record<string, unknown>> =>
  isObject(given) ? sentValue(given) : {};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

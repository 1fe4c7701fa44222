// Errors of a conversation that every vendor rejects.
import { isDeepStrictEqual } from 'node:util';
import type { Message } from '../../../../../src/contracts/model.ts';
import type { Problem, Reasoning, Wire } from './wire.ts';

/** The original reasoning of each assistant message of a request, in order. */
export type ReasoningSaid = readonly (Reasoning | undefined)[];

/** Finds a call without a result, or a result without a call. Ignores messages without ids. */
export function unpaired(messages: readonly Message[]): Problem | undefined {
  for (const [index, message] of messages.entries()) {
    const called = idsOf(messages[index - 1]);
    if (message.role === 'results') {
      const stray = message.results.find(({ id }) => id !== '' && !called.has(id));
      if (stray !== undefined)
        return badRequest(`No tool call found for the tool output with id ${stray.id}.`);
    }
    const given = message.role === 'results' ? message.results.map(({ id }) => id) : [];
    const open = [...called].find((id) => !given.includes(id));
    if (open !== undefined && !given.includes(''))
      return badRequest(`No tool output found for the tool call with id ${open}.`);
  }
  const [open] = idsOf(messages.at(-1));
  return open === undefined
    ? undefined
    : badRequest(`No tool output found for the tool call with id ${open}.`);
}

function idsOf(message: Message | undefined): ReadonlySet<string> {
  if (message?.role !== 'assistant') return new Set();
  return new Set(message.calls.flatMap(({ id }) => (id === undefined ? [] : [id])));
}

const badRequest = (message: string): Problem => ({ status: 400, message });

/** Finds a call that the client sent back without its reasoning, or with different reasoning. */
export function lostReasoning(
  wire: Wire,
  messages: readonly Message[],
  said: ReasoningSaid,
): Problem | undefined {
  let replies = 0;
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const reasoning = said[replies++];
    const [call] = message.calls;
    if (reasoning === undefined || call === undefined) continue;
    if (isDeepStrictEqual(message.native?.value, wire.opaque?.(reasoning))) continue;
    return wire.errors.reasoningLost?.({
      index,
      tool: call.tool,
      callId: call.id ?? '',
      reasoning,
    });
  }
  return undefined;
}

import type { Call, ModelReply } from '../../contracts/model.ts';
import { badArguments, FAULTS, tooManyCalls, type ArgumentsFault } from '../prompts/replies.ts';

/** Results are kept in memory and go back to the model together. */
const MAX_CALLS = 50;
/** No tool takes deeper arguments, and they would exhaust the stack of code that traverses them. */
const MAX_DEPTH = 64;

/** What keeps a reply of a text protocol from being read at all. */
export function unreadableReply(reply: Pick<ModelReply, 'calls' | 'stop'>): string | null {
  if (reply.stop === 'cut') return FAULTS.cut;
  if (reply.calls.length === 0) return null;
  return FAULTS.nativeCalls;
}

/** What is wrong with the calls of a reply, to show to the model; `null`: nothing. */
export function faultOfCalls(calls: readonly Call[]): string | null {
  if (calls.length > MAX_CALLS) {
    return tooManyCalls(calls.length, MAX_CALLS);
  }
  for (const [index, call] of calls.entries()) {
    const fault = faultOfArguments(call.arguments);
    if (fault !== null) return badArguments(index, fault);
  }
  return null;
}

/** Level by level, since a recursion would need the stack that it is to spare. */
export function faultOfArguments(args: unknown): ArgumentsFault | null {
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return 'tooDeep';
    if (level.some(isBeyondNumbers)) return 'tooLarge';
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return null;
}

/** `1e999` is read as infinity, which no journal can hold. */
const isBeyondNumbers = (item: unknown): boolean =>
  typeof item === 'number' && !Number.isFinite(item);

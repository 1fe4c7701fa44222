import { randomUUID } from 'node:crypto';
import type { Call, ToolSpec } from '../../contracts/model.ts';

/**
 * A call that the server itself could not read, from what it says about it. It is given out as one
 * with a fault: the model is told, as the result of its call, and can mend it. A reply without calls
 * would pass for the end of the work, and a failure would end it too.
 */
export function unreadableCall(words: string, tools: readonly ToolSpec[]): Call {
  const named = new Set(words.split(/[^\w-]+/));
  return {
    tool: tools.find(({ name }) => named.has(name))?.name ?? 'unreadable_call',
    arguments: words,
    id: `call_${randomUUID()}`,
    fault:
      'The call could not be read. Call a tool of the list, with one JSON object as its arguments.',
  };
}

import type { Message } from '../../contracts/model.ts';

/**
 * The index at which the kept part begins when a conversation is cut to its first message and the newest
 * ones, `max` in total. No result is separated from its call, so slightly more than `max` may be kept. At
 * least 1; the length of the conversation if only the first message is kept.
 */
export function keepFrom(messages: readonly Message[], max: number): number {
  const whole = messages.length;
  if (whole <= max) return 1;
  let from = Math.max(1, whole - Math.max(1, max) + 1);
  for (;;) {
    const before = from;
    for (const index of callsOfResults(messages, from)) from = Math.min(from, index);
    if (from === before) return Math.max(1, from);
  }
}

/** The indexes of the calls whose results are at or after `from`. */
function callsOfResults(messages: readonly Message[], from: number): number[] {
  const asked = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') for (const { id = '' } of message.calls) asked.set(id, index);
  }
  return messages
    .slice(from)
    .flatMap((message) => (message.role === 'results' ? message.results : []))
    .flatMap(({ id }) => asked.get(id) ?? []);
}

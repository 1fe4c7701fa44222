import type { Entry } from '../../session/entry.ts';
import { isAgentEntry } from './conversation.ts';

/**
 * Milliseconds that the last run of a journal has been worked on, counted on from now. A stretch
 * lasts from the start or a resumption to the agent's last entry before the next one: what the run
 * was deferred for, or the service was down, does not count.
 */
export function stopwatch(entries: readonly Entry[], now: () => number = Date.now): () => number {
  const start = entries.findLastIndex(({ type }) => type === 'run_started');
  let worked = 0;
  let stretch: { readonly from: number; last: number } | undefined;
  for (const entry of entries.slice(Math.max(0, start))) {
    const at = Date.parse(entry.at);
    if (entry.type === 'run_started' || entry.type === 'run_resumed') {
      worked += stretch === undefined ? 0 : stretch.last - stretch.from;
      stretch = { from: at, last: at };
    } else if (isAgentEntry(entry) && stretch !== undefined) {
      stretch.last = at;
    }
  }
  const from = stretch?.from;
  return () => worked + (from === undefined ? 0 : now() - from);
}

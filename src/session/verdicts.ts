import type { Entry, EntryOf } from './entries/entry.ts';

export type Verdict = EntryOf<'admitted' | 'rejected'>;

/**
 * The verdicts that count, by the number of the `received` entry: two processes, or two lanes of one,
 * may judge the same at once, and the first one counts.
 */
export function verdictsIn(entries: readonly Entry[]): ReadonlyMap<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const entry of entries)
    if ((entry.type === 'admitted' || entry.type === 'rejected') && !verdicts.has(entry.received))
      verdicts.set(entry.received, entry);
  return verdicts;
}

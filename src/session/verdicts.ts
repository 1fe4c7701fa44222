import type { Entry, AdmissionVerdict } from './entry.ts';

/**
 * The verdicts that count, by the number of the `received` entry. Two processes, or two lanes of one,
 * may judge the same entry at once: the first verdict counts.
 */
export function verdictsIn(entries: readonly Entry[]): ReadonlyMap<number, AdmissionVerdict> {
  const verdicts = new Map<number, AdmissionVerdict>();
  for (const entry of entries)
    if ((entry.type === 'admitted' || entry.type === 'rejected') && !verdicts.has(entry.received))
      verdicts.set(entry.received, entry);
  return verdicts;
}

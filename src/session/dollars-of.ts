import type { EntryOf, NewEntry } from './entry.ts';

/** What an entry cost in US dollars; `null` if nothing, or if that is unknown. */
export function dollarsOf(entry: NewEntry): number | null {
  if (entry.type === 'call_finished') return dollarsOfCall(entry) || null;
  const dollars = 'cost' in entry ? entry.cost : null;
  return dollars === 0 ? null : dollars;
}

const dollarsOfCall = ({ effects }: Pick<EntryOf<'call_finished'>, 'effects'>): number =>
  effects.reduce((sum, effect) => sum + ('cost' in effect ? (effect.cost ?? 0) : 0), 0);

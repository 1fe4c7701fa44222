import type { EntryOf, NewEntry } from './entry.ts';

/** What an entry cost in US dollars; `null` if nothing, or if that is unknown. */
export function dollarsOf(entry: NewEntry): number | null {
  if (entry.type === 'call_finished') return dollarsOfCall(entry) || null;
  const dollars = 'cost' in entry ? entry.cost : null;
  return dollars === 0 ? null : dollars;
}

/** Something of it was asked of a model whose price is not known. */
export const isPriceUnknown = (entry: NewEntry): boolean =>
  entry.type === 'call_finished'
    ? entry.effects.some((effect) => 'cost' in effect && effect.cost === null)
    : 'cost' in entry && entry.cost === null;

const dollarsOfCall = ({ effects }: Pick<EntryOf<'call_finished'>, 'effects'>): number =>
  effects.reduce((sum, effect) => sum + ('cost' in effect ? (effect.cost ?? 0) : 0), 0);

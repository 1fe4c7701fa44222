import { isDeepStrictEqual } from 'node:util';
import type { AgentEntry, NewAgentEntry } from '../../contracts/entries.ts';
import type { Entry } from '../../session/entry.ts';

/** What a replay does otherwise. */
export interface ReplayDifference {
  /** The entry of the journal. */
  readonly seq: number;
  readonly type: Entry['type'];
  /** The field that differs; missing: the whole step does. */
  readonly field?: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/** What depends on the clock and on what is there besides the conversation. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'seq',
  'at',
  'durationMs',
  'changedFiles',
  'leftOutFiles',
  'documents',
]);

/** By their fields, in the order of the journal. */
export function differencesIn(
  recorded: AgentEntry,
  replayed: NewAgentEntry,
): readonly ReplayDifference[] {
  const { seq, type } = recorded;
  if (type !== replayed.type) return [{ seq, type, recorded, replayed }];
  // As JSON has them: a field without a value is none.
  const [was, is] = [recorded, replayed].map(
    (entry) => new Map(Object.entries(JSON.parse(JSON.stringify(entry)) as object)),
  );
  const fields = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...fields]
    .filter((field) => !NOT_COMPARED.has(field))
    .filter((field) => !isDeepStrictEqual(was?.get(field), is?.get(field)))
    .map((field) => ({ seq, type, field, recorded: was?.get(field), replayed: is?.get(field) }));
}

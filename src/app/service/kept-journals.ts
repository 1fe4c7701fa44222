import type { Store } from '../../store/store.ts';
import { stateOf } from '../../session/state.ts';
import { JournalTracker } from './journal-tracker.ts';

/** Of all kept journals: some tens of megabytes. */
const MOST_ENTRIES = 20_000;

/**
 * Journals of working sessions, as they were read last: they are read many times while a run appends to them. So the
 * next reader reads only what is new, however long the journal is. Sessions at rest are not kept.
 */
export class KeptJournals {
  readonly #store: Store;
  readonly #most: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, JournalTracker>();

  constructor(store: Store, mostEntries = MOST_ENTRIES) {
    this.#store = store;
    this.#most = mostEntries;
  }

  /**
   * Calls `work` with the session's journal as it is now. Nobody else has this tracker meanwhile: whoever comes
   * reads the whole journal.
   */
  async read<T>(id: string, work: (tracker: JournalTracker) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    await kept?.refresh();
    const tracker = kept ?? (await JournalTracker.open(this.#store, id));
    const result = await work(tracker);
    this.#keep(tracker);
    return result;
  }

  #keep(tracker: JournalTracker): void {
    if (stateOf(tracker.session) !== 'working') return;
    tracker.tidy();
    this.#kept.set(tracker.id, tracker);
    let entries = 0;
    for (const [id, { entries: own }] of [...this.#kept].toReversed()) {
      entries += own.length;
      if (entries > this.#most) this.#kept.delete(id);
    }
  }
}

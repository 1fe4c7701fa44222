import type { OpenStore } from '../../../src/store/open.ts';

/** A store, and how often journals were read in it since the beginning, and how many entries. */
export function countedReads(store: OpenStore) {
  const counted = { reads: 0, entries: 0 };
  const journal: OpenStore['journal'] = async (...given) => {
    const entries = await store.journal(...given);
    counted.reads += 1;
    counted.entries += entries.length;
    return entries;
  };
  return { store: { ...store, journal }, counted };
}

import type { OpenStore } from '../../../src/store/open.ts';

/** A store, and how often journals were read in it since the beginning, and how many entries. */
export function countedReads(store: OpenStore) {
  const counted = { reads: 0, entries: 0 };
  const count = (entries: readonly unknown[]): void => {
    counted.reads += 1;
    counted.entries += entries.length;
  };
  const reading: Pick<OpenStore, 'journal' | 'latest'> = {
    journal: async (...given) => {
      const entries = await store.journal(...given);
      count(entries);
      return entries;
    },
    latest: async (...given) => {
      const latest = await store.latest(...given);
      count(latest.entries);
      return latest;
    },
  };
  return { store: { ...store, ...reading }, counted };
}

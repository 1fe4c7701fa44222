import { ENTRY_VERSION, type NewEntry } from '../session/entries/entry.ts';

/**
 * Lifts a stored entry to the newest version. Throws where it was written by a newer Issuewright:
 * reading it wrongly would be worse than not reading it.
 */
export function upcast(version: number, type: string, body: object): NewEntry {
  if (version > ENTRY_VERSION)
    throw new Error(
      `A journal entry of type ${type} has version ${version}, but this Issuewright supports versions ` +
        `up to ${ENTRY_VERSION} only. A newer Issuewright wrote it. Upgrade this one.`,
    );
  // The boundary: the body was written from a NewEntry of this type and version.
  return { type, ...body } as NewEntry;
}

// What is known of a journal up to an entry, to go on from there.
import type { Entry } from '../entry.ts';
import { keep, NOTHING_KEPT, type Kept } from '../kept-entries.ts';
import type { Session } from '../session.ts';
import { apply, fold } from './fold.ts';

/** As of one entry. All of it can be computed from the journal again. */
export interface Snapshot {
  readonly session: Session;
  readonly kept: Kept;
}

/** As it is stored. */
export interface StoredSnapshot {
  readonly seq: number;
  /** JSON. */
  readonly body: string;
}

export const beginSnapshot = (first: Entry): Snapshot => ({
  session: fold([first]),
  kept: keep(NOTHING_KEPT, first),
});

export const withEntry = ({ session, kept }: Snapshot, entry: Entry): Snapshot => ({
  session: apply(session, entry),
  kept: keep(kept, entry),
});

export const writeSnapshot = (snapshot: Snapshot): StoredSnapshot => ({
  seq: snapshot.session.seq,
  body: JSON.stringify(snapshot),
});

/** The cast is safe: only a snapshot of the same version of this code is read. */
export const readSnapshot = ({ body }: StoredSnapshot): Snapshot => JSON.parse(body) as Snapshot;

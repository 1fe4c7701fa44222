import { OID_BYTES } from '../../git/raw-tree.ts';
import type { CacheRoom } from '../../git/engines/native/cache-room.ts';

/** Where the index of a repository is, and which blobs a work tree was made of. Crosses between threads. */
export interface IndexPlace {
  /** In the cached repository. */
  readonly directory: string;
  /** The object ids of the files of the work tree when it was made, one after the other. Shared, not copied. */
  readonly oids: SharedArrayBuffer;
  /** The cache that the index takes its room from. */
  readonly room: CacheRoom;
}

/** What a task added. */
export interface IndexBuilt {
  readonly files: number;
  /** Of the whole index. */
  readonly bytes: number;
}

/** The object id at a place. */
export const oidAt = (oids: Uint8Array, place: number): Uint8Array =>
  oids.subarray(place * OID_BYTES, (place + 1) * OID_BYTES);

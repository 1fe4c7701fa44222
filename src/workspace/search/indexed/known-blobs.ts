import { OID_BYTES } from '../../git/raw-tree.ts';

/** Which blob a file of a work tree is, where that is certain. */
export class KnownBlobs {
  /** See `IndexPlace`. */
  readonly oids: SharedArrayBuffer;
  readonly #files: readonly string[];
  readonly #mayHaveChanged: (path: string) => boolean;
  #places: ReadonlyMap<string, number> | undefined;

  /**
   * @param files what the work tree had when it was made
   * @param oids their object ids, one after the other
   * @param mayHaveChanged whether anything may have changed a file since; never false if it has
   */
  constructor(
    files: readonly string[],
    oids: Uint8Array,
    mayHaveChanged: (path: string) => boolean,
  ) {
    this.oids = new SharedArrayBuffer(files.length * OID_BYTES);
    new Uint8Array(this.oids).set(oids);
    this.#files = files;
    this.#mayHaveChanged = mayHaveChanged;
  }

  /** The place of its object id, or -1 if it is not known. */
  at(path: string): number {
    // Built at the first question: many sessions ask none.
    this.#places ??= new Map(this.#files.map((file, place) => [file, place]));
    const place = this.#places.get(path);
    return place === undefined || this.#mayHaveChanged(path) ? -1 : place;
  }
}

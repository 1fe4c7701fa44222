/** As git writes it: a file, an executable file, a symbolic link. */
type FileMode = '100644' | '100755' | '120000';

/**
 * What a call did to one path, whole: enough to do it again on a fresh clone. `content` is null where
 * the file was deleted, and a link's target where `mode` is `120000`.
 */
export interface StoredChange {
  readonly path: string;
  readonly mode: FileMode;
  readonly content: Uint8Array | null;
}

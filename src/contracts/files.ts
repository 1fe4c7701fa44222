// Files of a workspace. Paths are relative to the repository's root, with `/`.

export type EntryKind = 'file' | 'directory' | 'symlink' | 'other';

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: EntryKind;
  /** Bytes; 0 for anything but a file. */
  readonly size: number;
  /** Whether .gitignore excludes it. */
  readonly isIgnored: boolean;
  /** Where a link leads, in its own words. */
  readonly target?: string;
  /** The workspace does not have it: it can be listed and read alone, and its size is not known. */
  readonly isOutside?: boolean;
}

/** The current and the new path of a file or directory. */
export interface Move<Path = string> {
  readonly from: Path;
  readonly to: Path;
}

/** What is to be said of a write. */
export interface WriteResult {
  /** A sentence that says what of it no commit takes, and why. Missing if commits take all of it. */
  readonly uncommitted?: string;
  /** A sentence about what commits could not include until then: they still do not, as nothing is known to have made it. */
  readonly uncovered?: string;
  /** A sentence about something of nearly the same name. */
  readonly collides?: string;
}

/** Contained file access. Every method throws `TellModel` for a path that is not allowed or does not exist. */
export interface Files {
  /** The whole file; `TellModel` for one of more than `maxBytes`, which is 1 MiB by default. */
  read(path: string, maxBytes?: number): Promise<Uint8Array>;
  /** Creates missing directories and replaces the whole file. `replaced`: there was one. */
  write(path: string, content: Uint8Array): Promise<WriteResult & { readonly replaced: boolean }>;
  /** A file, or a link itself. */
  delete(path: string): Promise<WriteResult>;
  /**
   * Files, links or whole directories, all or none and as if at once: two may change places. Nothing
   * is replaced. Answers how many files were moved.
   */
  rename(moves: readonly Move[]): Promise<WriteResult & { readonly files: number }>;
  /** Sorted by name. */
  list(path: string): Promise<readonly DirectoryEntry[]>;
}

/**
 * What a call did to one path, whole: enough to do it again on a fresh clone. `content` is `null` if
 * the file was deleted, and the target of a link if `mode` is `120000`.
 */
export interface StoredChange {
  readonly path: string;
  /** As git writes it: a file, an executable file, a symbolic link. */
  readonly mode: '100644' | '100755' | '120000';
  readonly content: Uint8Array | null;
  /** Only commands made the file, and no call named it: commits leave it out while git does not track it. */
  readonly madeByCommand?: true;
}

/** Of the files, what those need who only list directories. */
export type FileLister = Pick<Files, 'list'>;

/** Of the files, what those need who only read. */
export type FileReader = Pick<Files, 'read'>;

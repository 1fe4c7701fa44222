// Files of a workspace: how they are read, changed and searched. Paths are relative to the repository's root, with `/`.

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

// Searches in the files of a workspace.

export interface GrepRequest {
  /** A regular expression in JavaScript's syntax, matched in each line. */
  readonly pattern: string;
  readonly ignoreCase: boolean;
  /** The directory or file to search in. */
  readonly path: string;
  /** Only these files; without a slash it is about their names. */
  readonly glob?: string | undefined;
  /** Lines to give with each match, before it and after it. */
  readonly context: number;
  readonly maxMatches: number;
}

/** Directories that were not searched, because the workspace does not have them; missing if there are none. */
type UnsearchedDirectories = readonly string[];

export interface FoundLine {
  /** From 1. */
  readonly number: number;
  /** Without its end; cut around the match if it is long. */
  readonly text: string;
  /** False for a line of the context. */
  readonly matches: boolean;
}

/** The lines of one file, in its order. */
export interface FileMatches {
  readonly path: string;
  readonly lines: readonly FoundLine[];
}

export interface GrepAnswer {
  /** By path, those of a directory before those of the directories in it. */
  readonly found: readonly FileMatches[];
  readonly ended: 'complete' | 'too many' | 'too slow';
  /** How many files were searched in. */
  readonly files: number;
  /** Files that were not searched, because of their size. */
  readonly tooLarge: readonly string[];
  /** Files without a match that were not searched, because they are not text. */
  readonly notText: readonly string[];
  readonly outside?: UnsearchedDirectories;
}

export interface FindRequest {
  readonly glob: string;
  readonly path: string;
  readonly order: 'path' | 'newest';
  readonly limit: number;
}

export interface Question {
  readonly text: string;
  /** The directories and files to look in. */
  readonly paths: readonly string[];
  readonly glob?: string | undefined;
  readonly maxFiles: number;
  /** Of each file. */
  readonly maxPassages: number;
  /** Lines of a passage. */
  readonly span: number;
  /** Whether to name the definitions that match, and who uses the best one. */
  readonly names?: boolean | undefined;
}

export interface Passage {
  /** Its first line, from 1. */
  readonly start: number;
  readonly lines: readonly string[];
}

export interface FoundFiles {
  /** The first of them. */
  readonly paths: readonly string[];
  /** How many there are. */
  readonly total: number;
  readonly outside?: UnsearchedDirectories;
}

/** A function, class or type. Line numbers from 1. */
interface FoundDefinition {
  readonly name: string;
  readonly line: number;
  /** The text of its line. */
  readonly text: string;
  /** Its first line, that of comments above included. */
  readonly from: number;
  /** Its last line. */
  readonly to: number;
}

/** Where a definition is used, as `path:line`, the nearest files first. */
export interface Neighbours {
  readonly name: string;
  readonly callers: readonly string[];
  readonly tests: readonly string[];
}

export interface FoundFile {
  readonly path: string;
  /** Best first. */
  readonly passages: readonly Passage[];
  /** Best first. */
  readonly definitions: readonly FoundDefinition[];
  readonly neighbours?: Neighbours | undefined;
}

export interface CodeAnswer {
  /** Best first. */
  readonly files: readonly FoundFile[];
  /** The number of files that were searched. */
  readonly searched: number;
  /** Files that were not searched, because of their size. */
  readonly tooLarge: readonly string[];
  readonly outside?: UnsearchedDirectories;
}

/** Looks through the text files that .gitignore does not exclude. What cannot be searched is `TellModel`. */
export interface Search {
  /** @throws {TellModel} also what is wrong with the pattern, and where */
  grep(request: GrepRequest, signal: AbortSignal): Promise<GrepAnswer>;
  find(request: FindRequest, signal: AbortSignal): Promise<FoundFiles>;
  /** The files that are relevant to a question. */
  rank(question: Question, signal: AbortSignal): Promise<CodeAnswer>;
}

/** What a repository describes for everyone who works in it, to be read when it is needed. */
export interface Skills {
  /** @throws {TellModel} naming the skills that there are, if there is none of this name */
  read(name: string): string;
}

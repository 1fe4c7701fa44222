import { createHash } from 'node:crypto';
import { TellModel } from '../../lib/errors.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { ContainedTree } from './contained-tree.ts';
import { IsSymbolicLink } from './open-directory.ts';
import { NotPlainFile } from './plain-file.ts';

/**
 * What tools and commands made of files since the base commit, by path: git's mode and object id, or a word. Nothing
 * else is committed.
 */
export type Recorded = ReadonlyMap<string, string>;

/** What counts as a change. */
export interface Considered {
  /** Paths that count as unchanged. */
  readonly except: readonly string[];
  readonly recorded: Recorded;
}

interface Content {
  readonly mode: string;
  readonly content: Uint8Array | null;
}

const MIB = 1024 * 1024;
/** Of all files that are changed and not committed, as they are now: a restart brings them all back. */
const MAX_BYTES = 256 * MIB;
const NO_ROOM = `The files that were changed and not committed would take more than ${MAX_BYTES / MIB} MiB. Commit what is done first, or delete files that are not needed.`;

/** Changed since the last drain: whatever is there now. */
const AS_FOUND = 'as found';
const GONE = 'gone';
/** Written, and not to be committed whatever is there. */
const DENIED = 'denied';

/** Paths that a commit takes once nothing hides them: what is there is followed while they are hidden. */
export const followedPaths = (
  recorded: Recorded,
  isInBase: (path: string) => boolean,
): ReadonlySet<string> =>
  new Set(
    [...recorded].flatMap(([path, content]) => {
      const isFollowed = content === GONE ? isInBase(path) : content !== DENIED;
      return isFollowed ? [path] : [];
    }),
  );

/** Git's object id for the content of a file. */
export const oidOf = (content: Uint8Array): string =>
  createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex');

/** The content of a file as `Recorded` has it. */
export const contentOf = ({ mode, content }: Content): string =>
  content === null ? GONE : `${mode} ${oidOf(content)}`;

/** @param content as `contentOf` has it */
export const isRecorded = (recorded: Recorded, path: string, content: string): boolean =>
  [content, AS_FOUND].includes(recorded.get(path) ?? '');

/** The changes of a workspace: those that are stored, and those that the next drain returns. */
export class RecordedChanges {
  readonly #tree: ContainedTree;
  readonly #stored = new Map<string, string>();
  readonly #pending = new Set<string>();
  /** Paths that only commands wrote, and no call named. */
  readonly #byCommand = new Set<string>();
  /** How much is stored of each file that is not committed, and of all. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(tree: ContainedTree) {
    this.#tree = tree;
  }

  /** Of what a tool wrote, or a call named. */
  note(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#pending.add(path);
      this.#byCommand.delete(path);
    }
  }

  /** Of what was deleted: if a command makes it again, it is as before. */
  noteDeleted(path: string): void {
    this.#pending.add(path);
  }

  /** Of a new file that a command wrote and did not name. What a tool wrote before stays the tool's. */
  noteMade(path: string): void {
    if (!this.#stored.has(path) && !this.#pending.has(path)) this.#byCommand.add(path);
    this.#pending.add(path);
  }

  isByCommand(path: string): boolean {
    return this.#byCommand.has(path);
  }

  byCommand(): readonly string[] {
    return [...this.#byCommand];
  }

  noteStored(change: StoredChange): void {
    this.#stored.set(change.path, contentOf(change));
    if (change.madeByCommand) this.#byCommand.add(change.path);
    this.#count(change.path, change.content?.byteLength ?? 0);
  }

  /** Commits took these: what is stored of them is not needed any more. */
  noteCommitted(paths: Iterable<string>): void {
    for (const path of paths) {
      this.#count(path, 0);
      this.#byCommand.delete(path);
    }
  }

  /** How many more bytes of changes can be stored before a commit. */
  get bytesLeft(): number {
    return Math.max(0, MAX_BYTES - this.#bytes);
  }

  /** @throws {TellModel} if so much in place of a file, or more if there is none, is more than can be stored */
  requireRoomFor(bytes: number, path = ''): void {
    if (bytes <= this.bytesLeft + (this.#sizes.get(path) ?? 0)) return;
    throw new TellModel(NO_ROOM);
  }

  #count(path: string, bytes: number): void {
    this.#bytes += bytes - (this.#sizes.get(path) ?? 0);
    if (bytes === 0) this.#sizes.delete(path);
    else this.#sizes.set(path, bytes);
  }

  /** Of a file that was written all the same. */
  noteDenied(path: string): void {
    this.#stored.set(path, DENIED);
  }

  /** Returns the full state of every file noted since the last drain. */
  drain(): StoredChange[] {
    const changes = [...this.#pending].map((path) => this.#captured(path));
    this.#pending.clear();
    for (const change of changes) this.noteStored(change);
    return changes;
  }

  all(): Recorded {
    return new Map([
      ...this.#stored,
      ...[...this.#pending].map((path) => [path, AS_FOUND] as const),
    ]);
  }

  /** If a link is on the path or a device took the file's place, the file counts as deleted. */
  #captured(path: string): StoredChange {
    const made = this.#byCommand.has(path) ? ({ madeByCommand: true } as const) : {};
    try {
      return { ...this.#tree.capture(path.split('/')), ...made };
    } catch (error) {
      if (!(error instanceof IsSymbolicLink) && !(error instanceof NotPlainFile)) throw error;
      return { path, mode: '100644', content: null, ...made };
    }
  }
}

import { lstatSync, type Stats } from 'node:fs';
import type { OpenDirectory } from '../../files/open-directory.ts';
import { readPlainFile } from '../../files/plain-file.ts';
import { FileReader, type FileTerms } from './file-terms.ts';
import type { SearchPlace } from '../place.ts';
import type { IndexedFile } from './rank.ts';
import { pathOf, unlessGone, walkDirectories } from '../walk.ts';

const MAX_FILES = 100_000;
const MAX_FILE_BYTES = 512 * 1024;
/** The most terms in the index, at four bytes each. */
const MAX_TERMS = 25_000_000;

interface Entry extends IndexedFile {
  readonly looks: Looks;
  /** The number of the last walk that found the file. */
  walk: number;
}

/** Differs after every write to the file. */
type Looks = Pick<Stats, 'ino' | 'size' | 'ctimeMs'>;

/** An index of the words in the text files of a work tree. */
export class CodeIndex {
  readonly #place: SearchPlace;
  readonly #reader = new FileReader();
  readonly #entries = new Map<string, Entry>();
  #walk = 0;
  #terms = 0;
  #left = 0;

  constructor(place: SearchPlace) {
    this.#place = place;
  }

  get files(): IndexedFile[] {
    return [...this.#entries.values()];
  }

  /** The number of files that did not fit into the index. */
  get left(): number {
    return this.#left;
  }

  /** Checks every file and reads those that have changed. Yields after each directory. */
  *refresh(): Generator<void> {
    this.#walk += 1;
    this.#left = 0;
    for (const { path, directory, files } of walkDirectories(this.#place, [])) {
      for (const name of files) this.#look(pathOf(path, name), directory, name);
      yield;
    }
    for (const entry of this.#entries.values()) if (entry.walk !== this.#walk) this.#forget(entry);
  }

  #look(path: string, directory: OpenDirectory, name: string): void {
    const looks = unlessGone(() => lstatSync(directory.at(name)));
    const entry = this.#entries.get(path);
    if (looks === undefined || !looks.isFile()) return;
    if (entry !== undefined && looksLike(entry.looks, looks)) {
      entry.walk = this.#walk;
      return;
    }
    if (entry !== undefined) this.#forget(entry);
    if (looks.size > MAX_FILE_BYTES) return;
    if (this.#entries.size >= MAX_FILES || this.#terms >= MAX_TERMS) {
      this.#left += 1;
      return;
    }
    const terms = this.#read(path, directory, name);
    const { ino, size, ctimeMs } = looks;
    this.#entries.set(path, { path, terms, looks: { ino, size, ctimeMs }, walk: this.#walk });
    this.#terms += terms.terms.length;
  }

  /** Of a binary file, only the path is indexed. */
  #read(path: string, directory: OpenDirectory, name: string): FileTerms {
    const content = unlessGone(() => readPlainFile(directory.at(name), MAX_FILE_BYTES).content);
    const isText = content !== undefined && !content.includes(0);
    return this.#reader.read(path, isText ? new TextDecoder().decode(content) : '');
  }

  #forget(entry: Entry): void {
    this.#entries.delete(entry.path);
    this.#terms -= entry.terms.terms.length;
  }
}

const looksLike = (one: Looks, other: Looks): boolean =>
  one.ino === other.ino && one.size === other.size && one.ctimeMs === other.ctimeMs;

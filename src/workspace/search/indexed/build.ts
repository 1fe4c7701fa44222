// Adds to the index what it lacks. Runs in a thread of its own, and yields to show that it is running.
import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../../../lib/errors.ts';
import { setExcessAside } from '../../git/engines/native/cache-room.ts';
import { lockFile } from '../../git/engines/native/file-lock.ts';
import { OID_BYTES } from '../../git/raw-tree.ts';
import { MAX_FILE_BYTES, textOf } from '../code/file-text.ts';
import type { FilesIn, IndexTask } from '../lines/tasks.ts';
import { readFiles } from '../read-files.ts';
import { pathOf } from '../walk.ts';
import { mergeSegments } from './merge-segments.ts';
import { oidAt, type IndexBuilt, type IndexPlace } from './index-place.ts';
import { DamagedSegment, Segment } from './segment.ts';
import {
  newMaking,
  newSegment,
  openSegments,
  removeFile,
  removeLeftovers,
  segmentsIn,
} from './segments.ts';
import { WordPlaces } from './word-places.ts';

const LOCK = 'lock';
const MOST_SEGMENTS = 8;
/** No index takes more of its cache. */
const SHARE_OF_CACHE = 1 / 8;
/** A full index is written again if more of its files than this are of other commits. */
const SHARE_OF_OTHERS = 1 / 8;
const MAX_SILENCE_MS = 100;

/** Yields `undefined`, and at the end what was added; nothing if another process is adding. */
export async function* buildIndex(task: IndexTask): AsyncGenerator<IndexBuilt | undefined> {
  const { directory, room } = task.index;
  if (!makeDirectory(directory)) return;
  const { signal } = new AbortController();
  const lock = await lockFile(join(directory, LOCK), { signal, seconds: 0 });
  if (lock === undefined) return;
  try {
    removeLeftovers(directory);
    yield* new IndexBuilder(task).build();
  } catch (error) {
    // The next workspace that lacks enough makes it again.
    if (error instanceof DamagedSegment) removeFile(error.path);
    throw error;
  } finally {
    await lock.release();
  }
  await setExcessAside(room, signal);
}

/** Answers false if the repository is not in the cache any more. */
function makeDirectory(directory: string): boolean {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  return true;
}

class IndexBuilder {
  readonly #task: IndexTask;
  readonly #directory: string;
  readonly #most: number;
  #bytes = 0;
  #added = 0;
  #told = performance.now();

  constructor(task: IndexTask) {
    this.#task = task;
    this.#directory = task.index.directory;
    this.#most = task.index.room.maxBytes * SHARE_OF_CACHE;
  }

  *build(): Generator<IndexBuilt | undefined> {
    yield* this.#makeRoom();
    const before = this.#open();
    const made: string[] = [];
    try {
      yield* this.#writeLacking(before, made);
      if (made.length > 0) yield* this.#join(before, made);
    } finally {
      for (const segment of before) segment.close();
      for (const path of made) removeFile(path);
    }
    yield { files: this.#added, bytes: this.#bytes };
  }

  #open(): Segment[] {
    const segments = openSegments(this.#directory, segmentsIn(this.#directory) ?? []);
    this.#bytes = segments.reduce((sum, { bytes }) => sum + bytes, 0);
    return segments;
  }

  /** Drops the blobs of other commits from an index that is full: nothing could be added, so they would stay forever. */
  *#makeRoom(): Generator<undefined> {
    const segments = this.#open();
    try {
      if (this.#bytes < this.#most) return;
      const own = this.#own();
      const isOwn = (oid: Uint8Array): boolean => own.has(nameOf(oid));
      const oids = segments.flatMap((segment) => segment.oids());
      const others = oids.filter((oid) => !isOwn(oid)).length;
      if (others > SHARE_OF_OTHERS * oids.length) yield* this.#merge(segments, segments, isOwn);
    } finally {
      for (const segment of segments) segment.close();
    }
  }

  /** Adds to `made` the path of each file that it begins to write. */
  *#writeLacking(before: readonly Segment[], made: string[]): Generator<undefined> {
    const words = new WordPlaces();
    const write = (): void => {
      const path = newMaking(this.#directory);
      made.push(path);
      words.writeTo(path);
      this.#bytes += statSync(path).size;
    };
    for (const { oid, text } of this.#lacking(before)) {
      if (this.#bytes >= this.#most) return;
      yield* this.#pause();
      words.add(oid, text);
      this.#added += 1;
      if (words.isFull) write();
    }
    if (!words.isEmpty) write();
  }

  /** The files that no segment has, each once. What is read counts only if it is what its object id says. */
  *#lacking(before: readonly Segment[]): Generator<{ oid: Uint8Array; text: string }> {
    const { root, files, index } = this.#task;
    const wanted = lackingFiles(files, index, before);
    const oids = new Uint8Array(index.oids);
    for (const { path, content } of readFiles(root, wanted.files, MAX_FILE_BYTES)) {
      if (content === 'too large') continue;
      const oid = oidAt(oids, wanted.blobs.get(path) ?? -1);
      const id = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest();
      if (id.equals(oid)) yield { oid: id, text: textOf(content) };
    }
  }

  /** Makes one segment of what was made, and of others if there are too many. */
  *#join(before: readonly Segment[], made: readonly string[]): Generator<undefined> {
    const fresh = made.map((path) => new Segment(path));
    const joined = before.length < MOST_SEGMENTS ? [] : before;
    try {
      const isWanted = joined.length === 0 ? () => true : this.#isWanted([...before, ...fresh]);
      yield* this.#merge([...joined, ...fresh], joined, isWanted);
    } finally {
      for (const segment of fresh) segment.close();
    }
    for (const segment of this.#open()) segment.close();
  }

  /** Makes one segment of several, and removes those that it takes the place of. */
  *#merge(
    segments: readonly Segment[],
    replaced: readonly Segment[],
    isWanted: (oid: Uint8Array) => boolean,
  ): Generator<undefined> {
    const path = newMaking(this.#directory);
    try {
      for (const _ of mergeSegments(path, segments, isWanted)) yield* this.#pause();
      renameSync(path, newSegment(this.#directory));
      for (const segment of replaced) removeFile(segment.path);
    } finally {
      removeFile(path);
    }
  }

  /** Blobs of other commits stay as long as they are no more than those of this one. */
  #isWanted(segments: readonly Segment[]): (oid: Uint8Array) => boolean {
    const own = this.#own();
    const files = segments.reduce((sum, segment) => sum + segment.files, 0);
    return files <= 2 * own.size ? () => true : (oid) => own.has(nameOf(oid));
  }

  /** The blobs of the work tree. */
  #own(): ReadonlySet<string> {
    const own = new Set<string>();
    const all = Buffer.from(this.#task.index.oids);
    for (let at = 0; at * OID_BYTES < all.length; at += 1) own.add(nameOf(oidAt(all, at)));
    return own;
  }

  *#pause(): Generator<undefined> {
    if (performance.now() - this.#told < MAX_SILENCE_MS) return;
    yield undefined;
    this.#told = performance.now();
  }
}

const nameOf = (oid: Uint8Array): string => Buffer.from(oid).toString('latin1');

/** Those that no segment has, and the place of the object id of each. */
function lackingFiles(
  files: readonly FilesIn[],
  { oids }: IndexPlace,
  segments: readonly Segment[],
): { readonly files: readonly FilesIn[]; readonly blobs: ReadonlyMap<string, number> } {
  const all = new Uint8Array(oids);
  const blobs = new Map<string, number>();
  const seen = new Set<string>();
  const lacking = files.map(({ directory, names, blobs: places = [] }) => ({
    directory,
    names: names.filter((name, at) => {
      const place = places[at] ?? -1;
      if (place < 0) return false;
      const oid = oidAt(all, place);
      const key = nameOf(oid);
      if (seen.has(key) || segments.some((segment) => segment.find(oid) !== undefined))
        return false;
      seen.add(key);
      blobs.set(pathOf(directory, name), place);
      return true;
    }),
  }));
  return { files: lacking, blobs };
}

import { once } from 'node:events';
import type { CacheRoom } from '../../git/engines/native/cache-room.ts';
import { SearchThreads, type ListFiles } from '../lines/search-threads.ts';
import type { FilesIn } from '../lines/tasks.ts';
import { pathOf } from '../walk.ts';
import type { KnownBlobs } from './known-blobs.ts';
import type { IndexBuilt, IndexPlace } from './index-place.ts';

/** Fewer files than this are read at each question: that is quicker than to keep them. */
const LEAST_MISSING = 256;

/** One thread, so that questions have the others, and a small one that may take its time: nobody waits for it. */
const processBuilder = new SearchThreads({ size: 1, maxYoungMb: 16, maxSilenceMs: 60_000 });

export interface IndexOptions {
  /** The work tree. */
  readonly root: string;
  /** In the cached repository, which may be removed at any time. */
  readonly directory: string;
  readonly room: CacheRoom;
  readonly blobs: KnownBlobs;
  readonly leastMissing?: number;
  /** Called with why nothing could be added. Questions are answered all the same. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

/** The index of one workspace's repository: it says what is in files that are as git has them, so that they need not be read. */
export class SearchIndex {
  readonly place: IndexPlace;
  readonly #options: IndexOptions;
  readonly #builder: SearchThreads;
  readonly #closed = new AbortController();
  readonly #aborted = once(this.#closed.signal, 'abort');
  #building: Promise<IndexBuilt | undefined> | undefined;

  constructor(options: IndexOptions, builder = processBuilder) {
    const { directory, room, blobs } = options;
    this.place = { directory, oids: blobs.oids, room };
    this.#options = options;
    this.#builder = builder;
  }

  /** Notes in a list of files which blobs they are. Must not be kept: any of them may change. */
  marked(files: readonly FilesIn[]): FilesIn[] {
    const { blobs } = this.#options;
    return files.map(({ directory, names }) => ({
      directory,
      names,
      blobs: names.map((name) => blobs.at(pathOf(directory, name))),
    }));
  }

  /** Call after a question that had to read files which the index could have. Adds them aside: once, unless no file was known because of a command. */
  noteMissing(count: number, list: (signal: AbortSignal) => ListFiles): void {
    if (count < (this.#options.leastMissing ?? LEAST_MISSING)) return;
    const { signal } = this.#closed;
    this.#building ??= this.#untilClosed(this.#build(list(signal))).catch((error: unknown) => {
      if (!signal.aborted) this.#options.onFailure?.(error);
      return undefined;
    });
  }

  /** Listing and building may have to wait for the threads of other workspaces. One that closes does not. */
  async #untilClosed<T>(work: Promise<T>): Promise<T> {
    const closed = this.#aborted.then((): never => {
      throw this.#closed.signal.reason;
    });
    return Promise.race([work, closed]);
  }

  async #build(list: ListFiles): Promise<IndexBuilt | undefined> {
    const files: FilesIn[] = [];
    await list((part) => files.push(...this.marked(part)));
    if (!files.some(hasKnown)) {
      // A command began since the question. A later one may try again.
      this.#building = undefined;
      return undefined;
    }
    const { signal } = this.#closed;
    let built: IndexBuilt | undefined;
    const { root } = this.#options;
    const task = { kind: 'index', root, files, index: this.place } as const;
    await this.#builder.run<'index'>(task, (part) => (built = part ?? built), signal);
    // What it took is needed no more.
    await this.#builder.endIdle();
    return built;
  }

  /** What was added, once it is; `undefined` if nothing was to be, or it failed. */
  async built(): Promise<IndexBuilt | undefined> {
    return this.#building;
  }

  /** Ends what it does. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the workspace was closed'));
    await this.#building;
  }
}

const hasKnown = ({ blobs = [] }: FilesIn): boolean => blobs.some((blob) => blob >= 0);

import fs from 'node:fs';
import { inflateSync, type InputType } from 'node:zlib';
import git from 'isomorphic-git';
import { codeOf, messageOf } from '../../../lib/errors.ts';
import { basicAuthorization } from '../credentials.ts';
import { explainCloneFailure, explainFetchFailure } from '../explain-failure.ts';
import {
  createHttpClient,
  InvalidResponse,
  TooManyBytes,
  type ClosableHttpClient,
} from '../http-client.ts';
import { isomorphicObjects, type GitObjects } from '../objects.ts';
import {
  readBase,
  type CloneResult,
  type EnginePlace,
  type FetchedFiles,
  type FetchRequest,
  type GitEngine,
  type HistoryRequest,
} from './engine.ts';
import { rawCheckOut } from './check-out.ts';

const IDLE_MS = 60_000;
/** How much larger the history may be than one commit. */
const HISTORY_SHARE = 4;

/** isomorphic-git fetches and reads packs; files are written by our own code. */
export class IsomorphicEngine implements GitEngine {
  readonly #place: EnginePlace;

  constructor(place: EnginePlace) {
    this.#place = place;
  }

  async clone({ commit, token }: Parameters<GitEngine['clone']>[0]): Promise<CloneResult> {
    const { remoteUrl: url, gitdir, tree, maxBytes } = this.#place;
    const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
    try {
      await git.init({ fs, dir: tree, gitdir });
      await git.addRemote({ fs, gitdir, remote: 'origin', url, force: true });
      const limit = { maxBytes, what: 'its files' };
      await this.#fetchInto(http, { commits: [commit], depth: 1, token }, limit);
      http.throwIfCut();
      const base = await readBase(this, commit);
      await rawCheckOut(this.objects, this.#place, base.tree);
      return { base };
    } catch (error) {
      throw explainCloneFailure(http.failure ?? error, url, commit);
    } finally {
      http.close();
    }
  }

  async fetch(request: FetchRequest): Promise<void> {
    const { remoteUrl: url } = this.#place;
    const maxBytes = this.#place.maxBytes * HISTORY_SHARE;
    const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
    try {
      const what = 'all versions of its files in the history together';
      await this.#fetchInto(http, request, { maxBytes, what });
      http.throwIfCut();
      // It takes an answer without the commit for one with nothing new.
      const { objects } = this;
      for (const commit of request.commits) await objects.read(commit);
    } catch (error) {
      throw explainFetchFailure(http.failure ?? error, url, request);
    } finally {
      http.close();
    }
  }

  /** It clones everything. */
  fetchMissing(): Promise<FetchedFiles> {
    return Promise.resolve('fetched');
  }

  missingObjects(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** @param limit of what is fetched, unpacked */
  async #fetchInto(
    http: ClosableHttpClient,
    { commits, depth, token }: HistoryRequest,
    limit: { readonly maxBytes: number; readonly what: string },
  ): Promise<void> {
    const { remoteUrl: url, gitdir } = this.#place;
    const limitedFs = fsWithLimit(limit.maxBytes, limit.what);
    for (const ref of commits) {
      // Each call gets its own, since it changes them; they are not written to disk.
      const headers = { authorization: basicAuthorization(token) };
      const what = { ref, depth, singleBranch: true, tags: false };
      try {
        await git.fetch({ fs: limitedFs, http, gitdir, remote: 'origin', url, headers, ...what });
      } catch (error) {
        // isomorphic-git reads some packs that are damaged beyond the end of its buffers.
        const isOfNode = codeOf(error)?.startsWith('ERR_') === true;
        throw isOfNode ? new InvalidResponse(messageOf(error), { cause: error }) : error;
      }
    }
  }

  /** Others each time: they keep whole packs in memory. */
  get objects(): GitObjects {
    return isomorphicObjects(this.#place.gitdir);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

// What a pack becomes when it is unpacked, found out without unpacking it: a few kB can hold an object of gigabytes, and
// isomorphic-git keeps objects of a pack in memory.

const HEADER_BYTES = 12;
const OID_BYTES = 20;
const CHECKSUM_BYTES = 20;
const OFS_DELTA = 6;
const REF_DELTA = 7;

/**
 * The file system for a fetch with isomorphic-git, which writes a pack before it reads it.
 * @param maxBytes of all objects of a pack together
 * @param what these are, for people
 */
function fsWithLimit(maxBytes: number, what: string) {
  const { promises } = fs;
  const writeFile: typeof promises.writeFile = async (path, content, options) => {
    if (typeof path === 'string' && path.endsWith('.pack') && content instanceof Uint8Array)
      requireSizes(content, maxBytes, what);
    return promises.writeFile(path, content, options);
  };
  return { promises: { ...promises, writeFile } };
}

/**
 * @throws {TooManyBytes} if its objects are larger, or claim to be
 * @throws {InvalidResponse} if it is no pack
 */
function requireSizes(pack: Uint8Array, maxBytes: number, what: string): void {
  const reader = new PackReader(pack);
  let left = maxBytes;
  const take = (size: number): void => {
    left -= size;
    if (left < 0) throw new TooManyBytes(`${what} are larger than ${maxBytes} bytes`);
  };
  for (let count = reader.count(); count > 0; count -= 1) {
    const { type, size } = reader.header();
    take(size);
    const isDelta = type === OFS_DELTA || type === REF_DELTA;
    const content = reader.inflate(size);
    if (isDelta) take(targetSize(content));
  }
}

/** The second number of a delta: how large the object is that it makes. */
function targetSize(delta: Uint8Array): number {
  const reader = new PackReader(delta);
  reader.varint();
  return reader.varint();
}

class PackReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** How many objects follow. */
  count(): number {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    if (byteLength < HEADER_BYTES + CHECKSUM_BYTES) throw invalid('it is cut off');
    this.#at = HEADER_BYTES;
    return new DataView(buffer, byteOffset, byteLength).getUint32(HEADER_BYTES - 4);
  }

  header(): { readonly type: number; readonly size: number } {
    const first = this.#byte();
    const type = (first >> 4) & 7;
    const size = (first & 15) + (first < 128 ? 0 : this.varint() * 16);
    if (type === OFS_DELTA) while (this.#byte() >= 128) continue;
    else if (type === REF_DELTA) this.#at += OID_BYTES;
    return { type, size };
  }

  /** Seven bits a byte, the lowest first. */
  varint(): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 42; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw invalid('it has a number that is too large');
  }

  /** The next object, which may not be larger than its header says. */
  inflate(size: number): Uint8Array {
    try {
      const rest = this.#bytes.subarray(this.#at);
      const { buffer, engine } = inflateWithInfo(rest, Math.max(size, 1));
      this.#at += engine.bytesWritten;
      return buffer;
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE')
        throw invalid('an object is larger than it says', error);
      throw invalid('an object is damaged', error);
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw invalid('it is cut off');
    this.#at += 1;
    return byte;
  }
}

const invalid = (what: string, cause?: unknown): InvalidResponse =>
  new InvalidResponse(`the pack is damaged: ${what}`, { cause });

/** With the option `info`, which the types of Node do not know, it also tells how much of the input it has read. */
const inflateWithInfo = (input: InputType, maxOutputLength: number) =>
  inflateSync(input, { maxOutputLength, info: true } as object) as unknown as {
    readonly buffer: Uint8Array;
    readonly engine: { readonly bytesWritten: number };
  };

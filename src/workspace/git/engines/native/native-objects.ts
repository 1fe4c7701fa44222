// The objects of a repository, read by one process of git while they are open: to start one takes longer than most of
// what is read.
import type { ChildProcess } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { isomorphicObjects, readCommit, type Addition, type GitObjects } from '../../objects.ts';
import { TooManyBytes } from '../../http-client.ts';
import {
  DamagedRepository,
  endGroup,
  GitFailed,
  startGit,
  OutOfMemory,
  ranOutOfMemory,
  type NativePlace,
} from './native-git.ts';

type GitObject = Awaited<ReturnType<GitObjects['read']>>;

interface ObjectRequest {
  readonly oid: string;
  resolve(object: GitObject): void;
  reject(error: unknown): void;
}

/** Of one object, which this process holds as a whole. GitHub takes files of 100 MB (rule `pushed-file-size` of docs/github-rules.md). */
const MOST_READ_BYTES = 256 * 1024 * 1024;
const MOST_SAID = 2000;
const NEWLINE = 0x0a;
const OBJECT_ID = /^[\da-f]{40}$/;

/** Objects that are asked for while others are on their way are answered in the same order. */
export class NativeObjects implements GitObjects {
  readonly #place: NativePlace;
  readonly #isPartial: boolean;
  readonly #waiting: ObjectRequest[] = [];
  #reader: ChildProcess | undefined;
  #closed: Promise<unknown> | undefined;
  #failure: unknown;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Of the object at the beginning of the chunks, with its header and the newline after it. */
  #needed = 0;
  /** Bytes that follow of an object that is too large. */
  #unwanted = 0;

  /** @param isPartial the repository lacks files of its commits */
  constructor(place: NativePlace, isPartial = false) {
    this.#place = place;
    this.#isPartial = isPartial;
  }

  /** Whether they can still be read: the process may have ended. */
  get isOpen(): boolean {
    return this.#failure === undefined;
  }

  /** Starts the process before anything is read. It finds what is fetched afterwards, too. */
  start(): void {
    this.#running();
  }

  read(oid: string): Promise<GitObject> {
    if (!OBJECT_ID.test(oid)) return Promise.reject(new DamagedRepository('malformed object id'));
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure);
      this.#waiting.push({ oid, resolve, reject });
      this.#running().stdin?.write(`${oid}\n`);
    });
  }

  write(object: GitObject): Promise<string> {
    // An object of its own file, as git writes it; a process for each would take longer than all else.
    return isomorphicObjects(this.#place.gitdir).write(object);
  }

  async pack(addition: Addition): Promise<Uint8Array> {
    const { words, input } = await this.#packing(addition);
    const child = startGit(this.#place, {}, ['pack-objects', ...words, '--stdout', '--quiet']);
    const end = (): void => endGroup(child);
    this.#place.signal.addEventListener('abort', end, { once: true });
    const closed = ending(child);
    child.stdin?.on('error', () => {});
    child.stdin?.end([...input, ''].join('\n'));
    if (child.stdout === null) throw new Error('git has no output');
    const [pack, exitCode] = await Promise.all([buffer(child.stdout), closed]);
    this.#place.signal.removeEventListener('abort', end);
    if (exitCode !== 0) throw new GitFailed(`git pack-objects exited with ${exitCode}`);
    return pack;
  }

  async #packing({ commit, created }: Addition) {
    // Differences to files that are not here could not be found.
    if (this.#isPartial) return { words: [], input: created };
    const { parents } = await readCommit(this, commit);
    const words = ['--revs', '--thin', '--shallow'];
    return { words, input: [commit, ...parents.map((parent) => `^${parent}`)] };
  }

  /** Ends the process that reads. */
  async close(): Promise<void> {
    this.#fail(new Error('the objects were closed'));
    this.#reader?.stdin?.end();
    await this.#closed;
  }

  #running(): ChildProcess {
    if (this.#reader !== undefined) return this.#reader;
    const reader = startGit(this.#place, {}, ['cat-file', '--batch']);
    const { signal } = this.#place;
    const abort = (): void => {
      this.#fail(signal.reason);
      endGroup(reader);
    };
    signal.addEventListener('abort', abort, { once: true });
    let said = '';
    reader.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
    reader.stderr?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString('latin1')}`.slice(0, MOST_SAID);
    });
    reader.stdin?.on('error', () => {});
    this.#closed = ending(reader).then((exitCode) => {
      signal.removeEventListener('abort', abort);
      const failed = new GitFailed(`git cat-file exited with ${exitCode}`);
      this.#fail(ranOutOfMemory(said) ? new OutOfMemory() : failed);
    });
    this.#reader = reader;
    if (signal.aborted) abort();
    return reader;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#failure);
  }

  #take(chunk: Buffer): void {
    const unwanted = Math.min(this.#unwanted, chunk.byteLength);
    this.#unwanted -= unwanted;
    this.#chunks.push(chunk.subarray(unwanted));
    this.#size += chunk.byteLength - unwanted;
    if (this.#size < this.#needed) return;
    const [one = chunk, ...others] = this.#chunks;
    let bytes = others.length === 0 ? one : Buffer.concat(this.#chunks);
    for (;;) {
      const answered = this.#answer(bytes);
      if (answered === 0) break;
      bytes = bytes.subarray(answered);
      this.#needed = 0;
    }
    this.#chunks = [bytes];
    this.#size = bytes.byteLength;
  }

  /** How many bytes the answer took; 0 if it is not all there. */
  #answer(bytes: Buffer): number {
    const end = bytes.indexOf(NEWLINE);
    const [first] = this.#waiting;
    if (end === -1 || first === undefined) return 0;
    const header = bytes.toString('latin1', 0, end);
    const [, type, size] = /^[\da-f]{40} (commit|tree|blob|tag) (\d+)$/.exec(header) ?? [];
    if (type === undefined || size === undefined) {
      this.#waiting.shift();
      first.reject(new DamagedRepository(`git cannot read the object ${first.oid}`));
      return end + 1;
    }
    const length = end + 1 + Number(size) + 1;
    if (Number(size) > MOST_READ_BYTES) {
      this.#waiting.shift();
      first.reject(new TooManyBytes(`a file or directory of it has ${size} bytes`));
      const here = Math.min(bytes.byteLength, length);
      this.#unwanted = length - here;
      return here;
    }
    this.#needed = length;
    if (bytes.byteLength < length) return 0;
    this.#waiting.shift();
    const all = bytes.subarray(end + 1, length - 1);
    // A copy, unless it is most of it: the chunk that it is part of may hold a thousand others.
    const content =
      all.byteLength * 2 > bytes.byteLength ? all : Uint8Array.prototype.slice.call(all);
    // The expression above lets only these four pass.
    first.resolve({ type: type as GitObject['type'], content });
    return length;
  }
}

/** The code that a process exits with, once all that it wrote is read; `null` if it was killed or never started. */
const ending = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });

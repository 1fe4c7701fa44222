import { TellModel } from '../../../lib/errors.ts';
import { IsSymbolicLink, FileTooLarge, NotPlainFile } from '../../files/open-directory.ts';
import type { OutsideEntries, OutsideReader } from '../../files/outside-directories.ts';
import { quotePath } from '../../files/path-policy.ts';
import type { GitCaller } from '../client.ts';
import { reachRemote, type Credentials } from '../credentials.ts';
import type { OutsideEntry } from '../base-tree.ts';

const LOOK_MS = 60_000;
const FETCH_MS = 120_000;
const MIB = 1024 * 1024;
/** What one workspace fetches of what it was opened without. */
const MOST_FILES = 1_000;
const MOST_BYTES = 256 * MIB;
const MOST_BYTES_OF_A_FILE = 16 * MIB;

interface ReaderOptions {
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
}

/** Reads what a sparse work tree does not have, fetching the content of a file when it is first read. */
export class FetchingReader implements OutsideReader {
  readonly #client: GitCaller;
  readonly #options: ReaderOptions;
  #files = 0;
  #bytes = 0;

  constructor(client: GitCaller, options: ReaderOptions) {
    this.#client = client;
    this.#options = options;
  }

  async read(path: string, maxBytes: number): Promise<Uint8Array> {
    const { oid, content } = requireFile(path, await this.#entryAt(path));
    const bytes = content ?? (await this.#fetched(path, oid));
    if (bytes.byteLength > maxBytes) throw new FileTooLarge(bytes.byteLength, maxBytes);
    return bytes;
  }

  async list(path: string): Promise<OutsideEntries> {
    const entry = await this.#entryAt(path);
    if (entry.kind === 'directory') return entry.entries;
    if (entry.kind === 'file') throw withCode('ENOTDIR');
    throw errorFor(path, entry);
  }

  #entryAt(path: string): Promise<OutsideEntry> {
    return this.#client.call('outside', { path }, LOOK_MS);
  }

  async #fetched(path: string, oid: string): Promise<Uint8Array> {
    if (this.#files >= MOST_FILES || this.#bytes >= MOST_BYTES)
      throw new TellModel(`${quotePath(path)} ${NO_MORE}`);
    this.#files += 1;
    const wanted = { oids: [oid], maxBytes: MOST_BYTES_OF_A_FILE };
    const fetched = await reachRemote({ ...this.#options, access: 'read' }, (token) =>
      this.#client.call('fetchMissing', { ...wanted, token }, FETCH_MS),
    );
    if (fetched === 'too_large') throw new TellModel(`${quotePath(path)} ${TOO_LARGE}`);
    const { content } = requireFile(path, await this.#entryAt(path));
    if (content === undefined) throw new TellModel(`${quotePath(path)} ${GONE}`);
    this.#bytes += content.byteLength;
    return content;
  }
}

function requireFile(path: string, entry: OutsideEntry) {
  if (entry.kind === 'file') return entry;
  throw entry.kind === 'directory' ? withCode('EISDIR') : errorFor(path, entry);
}

function errorFor(path: string, { kind }: OutsideEntry): Error {
  if (kind === 'symlink') return new IsSymbolicLink(path);
  return kind === 'none' ? withCode('ENOENT') : new NotPlainFile(path);
}

const withCode = (code: string): Error => Object.assign(new Error(code), { code });

const NO_MORE =
  'is outside of the workspace, and this run has read as much from there as it may. Work with what you have read, or ask people.';

const TOO_LARGE =
  'is outside of the workspace, and too large to be fetched for that. Work without it, or ask people.';

const GONE =
  'is outside of the workspace, and the server does not have its content any more. Its branch may have been rewritten since this run began. ' +
  'Work without it, or ask people.';

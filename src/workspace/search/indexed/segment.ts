// A file of the index: what is known of some blobs. It never changes once it has its name.
//   blocks     words in the order of their UTF-16 units, each with its places
//   directory  object ids in order, each with the number of its file; the windows of each file; where each block is and begins
//   trailer    what is in the directory, and where it is
// Every block, the directory and the trailer have a checksum: nothing is used that is not as it was written.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { OID_BYTES } from '../../git/raw-tree.ts';
import { ByteReader } from './varint.ts';

/** Another number for each form of these files, and for each change of what is counted as a word. */
export const VERSION = 1;
/** Lower case, and what is a letter, come from tables of Node. They change with it. */
export const UNICODE = crc32(process.versions['unicode'] ?? '');
export const MAGIC = 0x69_77_77_64;
export const TRAILER_BYTES = 40;
export const ROW_BYTES = OID_BYTES + 4;

export class DamagedSegment extends Error {
  override readonly name = 'DamagedSegment';
  readonly path: string;

  constructor(path: string) {
    super(`${path} is damaged, or of another version`);
    this.path = path;
  }
}

interface Block {
  readonly offset: number;
  readonly length: number;
  readonly checksum: number;
  readonly firstKey: string;
}

export interface Entry {
  readonly key: string;
  /** See `eachPlace`. */
  readonly places: Buffer;
}

export class Segment {
  readonly path: string;
  readonly bytes: number;
  readonly files: number;
  /** The first place of each file, by its number, and the end of the last one. */
  readonly #firstPlaces: Uint32Array;
  readonly #rows: Buffer;
  readonly #blocks: readonly Block[];
  readonly #descriptor: number;

  /** @throws {DamagedSegment} if it is not as it was written, or of another version; and the errors of `node:fs` */
  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'r');
    try {
      this.bytes = fstatSync(this.#descriptor).size;
      const trailer = this.#read(this.bytes - TRAILER_BYTES, TRAILER_BYTES);
      const isTrailer =
        crc32(trailer.subarray(4)) === trailer.readUInt32LE(0) &&
        trailer.readUInt32LE(4) === MAGIC &&
        trailer.readUInt32LE(8) === VERSION &&
        trailer.readUInt32LE(36) === UNICODE;
      if (!isTrailer) throw new DamagedSegment(path);
      const [files, blocks] = [trailer.readUInt32LE(12), trailer.readUInt32LE(16)];
      const directory = this.#read(trailer.readDoubleLE(20), trailer.readUInt32LE(28));
      if (crc32(directory) !== trailer.readUInt32LE(32)) throw new DamagedSegment(path);
      if (directory.length < files * (ROW_BYTES + 2)) throw new DamagedSegment(path);
      this.files = files;
      this.#rows = directory.subarray(0, files * ROW_BYTES);
      this.#firstPlaces = placesOf(directory.subarray(files * ROW_BYTES), files);
      this.#blocks = blocksOf(directory.subarray(files * (ROW_BYTES + 2)), blocks);
      if (!this.#isSound()) throw new DamagedSegment(path);
    } catch (error) {
      closeSync(this.#descriptor);
      // Numbers that make no sense fail in many ways.
      throw isOfSystem(error) ? error : new DamagedSegment(path);
    }
  }

  /** Whether each file has a number of its own, and all blocks are in the segment. */
  #isSound(): boolean {
    const numbers = new Set<number>();
    for (let row = 0; row < this.files; row += 1)
      numbers.add(this.#rows.readUInt32LE(row * ROW_BYTES + OID_BYTES));
    for (const number of numbers) if (number >= this.files) return false;
    const { bytes } = this;
    const isInside = ({ offset, length }: Block): boolean => offset + length <= bytes;
    return numbers.size === this.files && this.#blocks.every(isInside);
  }

  /** How many places there are. */
  get places(): number {
    return this.#firstPlaces[this.files] ?? 0;
  }

  /** The places of a file, by its number. */
  placesOf(file: number): { readonly from: number; readonly to: number } {
    return { from: this.#firstPlaces[file] ?? 0, to: this.#firstPlaces[file + 1] ?? 0 };
  }

  /** The number of the file with an object id. */
  find(oid: Uint8Array): number | undefined {
    let [low, high] = [0, this.files - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const order = this.#compare(middle, oid);
      if (order === 0) return this.#rows.readUInt32LE(middle * ROW_BYTES + OID_BYTES);
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** The object id of each file, by its number. */
  oids(): Buffer[] {
    const oids: Buffer[] = [];
    for (let row = 0; row < this.files; row += 1) {
      const at = row * ROW_BYTES;
      oids[this.#rows.readUInt32LE(at + OID_BYTES)] = this.#rows.subarray(at, at + OID_BYTES);
    }
    return oids;
  }

  #compare(row: number, oid: Uint8Array): number {
    const start = row * ROW_BYTES;
    for (let at = 0; at < OID_BYTES; at += 1) {
      const order = (this.#rows[start + at] ?? 0) - (oid[at] ?? 0);
      if (order !== 0) return order;
    }
    return 0;
  }

  /** All words that begin so, in order. Each is valid until the next one. @throws {DamagedSegment} */
  *beginningWith(start: string): Generator<Entry> {
    let buffer = Buffer.of();
    for (let at = this.#blockBefore(start); at < this.#blocks.length; at += 1) {
      const block = this.#blocks[at];
      if (block === undefined) return;
      if (buffer.length < block.length) buffer = Buffer.allocUnsafe(2 * block.length);
      for (const entry of this.#entriesOf(block, buffer)) {
        if (entry.key < start) continue;
        if (!entry.key.startsWith(start)) return;
        yield entry;
      }
    }
  }

  /** The last block that begins before a key, or the first one. */
  #blockBefore(key: string): number {
    let [low, high] = [0, this.#blocks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#blocks[middle]?.firstKey ?? '') <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  *#entriesOf(block: Block, buffer: Buffer): Generator<Entry> {
    const bytes = this.#read(block.offset, block.length, buffer);
    if (crc32(bytes) !== block.checksum) throw new DamagedSegment(this.path);
    const reader = new ByteReader(bytes);
    while (reader.hasMore) {
      const key = reader.bytes(reader.number()).toString();
      yield { key, places: reader.bytes(reader.number()) };
    }
  }

  #read(offset: number, length: number, into?: Buffer): Buffer {
    if (offset < 0 || offset + length > this.bytes) throw new DamagedSegment(this.path);
    const bytes = (into ?? Buffer.allocUnsafe(length)).subarray(0, length);
    if (readSync(this.#descriptor, bytes, 0, length, offset) !== length)
      throw new DamagedSegment(this.path);
    return bytes;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function placesOf(windows: Buffer, files: number): Uint32Array {
  const places = new Uint32Array(files + 1);
  for (let file = 0; file < files; file += 1)
    places[file + 1] = (places[file] ?? 0) + windows.readUInt16LE(2 * file);
  return places;
}

function blocksOf(bytes: Buffer, count: number): Block[] {
  const reader = new ByteReader(bytes);
  return Array.from({ length: count }, () => {
    if (!reader.hasMore) throw new RangeError('there are fewer blocks');
    return {
      offset: reader.number(),
      length: reader.number(),
      checksum: reader.number(),
      firstKey: reader.bytes(reader.number()).toString(),
    };
  });
}

/** Whether the file could not be read, whatever is in it. */
const isOfSystem = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'syscall' in error;

import { closeSync, openSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { OID_BYTES } from '../../git/raw-tree.ts';
import { MAGIC, ROW_BYTES, TRAILER_BYTES, UNICODE, VERSION } from './segment.ts';
import { ByteWriter } from './varint.ts';

/** A block is read as a whole to look up one of its words. */
const BLOCK_BYTES = 16 * 1024;

/** A blob, by its number. */
export interface IndexedFile {
  readonly oid: Uint8Array;
  readonly windows: number;
}

/** Writes a segment. Until it is finished, nobody can read it. */
export class SegmentWriter {
  readonly #descriptor: number;
  readonly #block = new ByteWriter();
  readonly #blocks = new ByteWriter();
  #firstKey: Buffer | undefined;
  #count = 0;
  #offset = 0;

  /** @throws if there is a file already */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'wx', 0o600);
  }

  /** Call with the keys in the order of `<`. */
  add(key: string, places: Uint8Array): void {
    const bytes = Buffer.from(key);
    this.#firstKey ??= bytes;
    for (const part of [bytes, places]) {
      this.#block.number(part.length);
      this.#block.bytes(part);
    }
    if (this.#block.length >= BLOCK_BYTES) this.#endBlock();
  }

  #endBlock(): void {
    if (this.#firstKey === undefined) return;
    const { written } = this.#block;
    for (const number of [this.#offset, written.length, crc32(written), this.#firstKey.length])
      this.#blocks.number(number);
    this.#blocks.bytes(this.#firstKey);
    this.#write(written);
    this.#block.clear();
    this.#firstKey = undefined;
    this.#count += 1;
  }

  finish(files: readonly IndexedFile[]): void {
    this.#endBlock();
    const directory = Buffer.concat([rowsOf(files), windowsOf(files), this.#blocks.written]);
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(MAGIC, 4);
    trailer.writeUInt32LE(VERSION, 8);
    trailer.writeUInt32LE(files.length, 12);
    trailer.writeUInt32LE(this.#count, 16);
    trailer.writeDoubleLE(this.#offset, 20);
    trailer.writeUInt32LE(directory.length, 28);
    trailer.writeUInt32LE(crc32(directory), 32);
    trailer.writeUInt32LE(UNICODE, 36);
    trailer.writeUInt32LE(crc32(trailer.subarray(4)), 0);
    this.#write(directory);
    this.#write(trailer);
  }

  #write(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at);
    this.#offset += bytes.length;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function rowsOf(files: readonly IndexedFile[]): Buffer {
  const inOrder = files
    .map(({ oid }, number) => ({ oid, number }))
    .toSorted((one, other) => Buffer.compare(one.oid, other.oid));
  const rows = Buffer.alloc(files.length * ROW_BYTES);
  for (const [row, { oid, number }] of inOrder.entries()) {
    rows.set(oid, row * ROW_BYTES);
    rows.writeUInt32LE(number, row * ROW_BYTES + OID_BYTES);
  }
  return rows;
}

function windowsOf(files: readonly IndexedFile[]): Buffer {
  const bytes = Buffer.alloc(2 * files.length);
  for (const [number, { windows }] of files.entries()) bytes.writeUInt16LE(windows, 2 * number);
  return bytes;
}

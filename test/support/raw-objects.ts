// Objects of git as bytes, with none of git's checks, and packs of them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync } from 'node:zlib';

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

/** The name is latin1, so that each character is one byte. */
export type Entry = readonly [mode: string, name: string, oid: string];

/** Some objects, which refer to one another or to nothing. */
export class RawObjects {
  readonly all = new Map<string, { readonly type: ObjectType; readonly content: Buffer }>();

  add(type: ObjectType, content: Uint8Array | string): string {
    const bytes = Buffer.from(content);
    const oid = createHash('sha1').update(headOf(type, bytes)).update(bytes).digest('hex');
    this.all.set(oid, { type, content: bytes });
    return oid;
  }

  readonly blob = (content: Uint8Array | string): string => this.add('blob', content);

  /** The entries in the order given. */
  readonly tree = (...entries: readonly Entry[]): string =>
    this.add('tree', Buffer.concat(entries.flatMap(bytesOfEntry)));

  /** @param headers in the place of the usual ones */
  commit(tree: string, headers?: string): string {
    const person = 'attacker <attacker@example.test> 1767323045 +0000';
    const usual = `tree ${tree}\nauthor ${person}\ncommitter ${person}\n`;
    return this.add('commit', Buffer.from(`${headers ?? usual}\nA commit\n`, 'latin1'));
  }

  /** Writes all of them into a repository. */
  store(gitdir: string): void {
    for (const [oid, { type, content }] of this.all) {
      const path = join(gitdir, 'objects', oid.slice(0, 2), oid.slice(2));
      mkdirSync(dirname(path), { recursive: true });
      const bytes = Buffer.concat([headOf(type, content), content]);
      if (!existsSync(path)) writeFileSync(path, deflateSync(bytes));
    }
  }

  /** @param without objects to leave out */
  pack(without: readonly string[] = []): Buffer {
    const left = [...this.all].filter(([oid]) => !without.includes(oid));
    return packOf(left.map(([, { type, content }]) => packed(TYPES[type], content)));
  }
}

const headOf = (type: ObjectType, { byteLength }: Buffer): Buffer =>
  Buffer.from(`${type} ${byteLength}\0`);

const bytesOfEntry = ([mode, name, oid]: Entry): Buffer[] => [
  Buffer.from(`${mode} ${name}\0`, 'latin1'),
  Buffer.from(oid, 'hex'),
];

const TYPES = { commit: 1, tree: 2, blob: 3, tag: 4 } as const;
const REF_DELTA = 7;

/** An object of a pack. `size`: what its head says in the place of the truth. */
export function packed(type: number, content: Buffer, size = content.byteLength): Buffer {
  const head: number[] = [];
  let [byte, rest] = [(type << 4) | (size & 15), Math.floor(size / 16)];
  for (; rest > 0; [byte, rest] = [rest & 127, Math.floor(rest / 128)]) head.push(byte | 128);
  return Buffer.concat([Buffer.from([...head, byte]), deflateSync(content)]);
}

/** An object of a pack that is another one, changed. */
export function packedDelta(base: string, delta: Buffer): Buffer {
  const whole = packed(REF_DELTA, delta);
  const end = whole.findIndex((byte) => byte < 128) + 1;
  return Buffer.concat([whole.subarray(0, end), Buffer.from(base, 'hex'), whole.subarray(end)]);
}

/** A delta that copies parts of its base. */
export function deltaOf(
  baseSize: number,
  copies: readonly (readonly [offset: number, size: number])[],
): Buffer {
  const size = copies.reduce((sum, [, each]) => sum + each, 0);
  const bytes = (value: number, count: number): number[] =>
    Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** at) % 256);
  const all = copies.map(([offset, each]) => [255, ...bytes(offset, 4), ...bytes(each, 3)]);
  return Buffer.from([...varint(baseSize), ...varint(size), ...all.flat()]);
}

function varint(value: number): number[] {
  const rest = Math.floor(value / 128);
  return rest === 0 ? [value] : [(value % 128) | 128, ...varint(rest)];
}

/** @param count how many its head says it has */
export function packOf(objects: readonly Buffer[], count = objects.length): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  head.writeUInt32BE(count, 8);
  const bytes = Buffer.concat([head, ...objects]);
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
}

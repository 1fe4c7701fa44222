// Pointers of Git LFS, which are in a repository in the place of large files.
import { createHash } from 'node:crypto';

/** Longer files are no pointers, by the specification. */
export const MAX_POINTER_BYTES = 1023;
const FIRST_LINE = 'version https://git-lfs.github.com/spec/v1';

export interface LfsPointer {
  /** Of the file itself; SHA-256 in hexadecimal. */
  readonly oid: string;
  /** In bytes. */
  readonly size: number;
}

/** `undefined` if the content is none. */
export function lfsPointer(content: Uint8Array): LfsPointer | undefined {
  if (content.byteLength > MAX_POINTER_BYTES) return undefined;
  const [first, ...lines] = Buffer.from(content).toString('latin1').trimEnd().split('\n');
  if (first !== FIRST_LINE) return undefined;
  const [oid, size] = ['oid sha256:', 'size '].map((key) =>
    lines.find((line) => line.startsWith(key))?.slice(key.length),
  );
  if (!/^[\da-f]{64}$/.test(oid ?? '') || !/^\d{1,15}$/.test(size ?? '')) return undefined;
  return { oid: oid ?? '', size: Number(size) };
}

/** Whether Git LFS has nothing to store for it. */
export const isStoredAsIs = (content: Uint8Array): boolean =>
  content.byteLength === 0 || lfsPointer(content) !== undefined;

/** What Git LFS commits in the place of a file: of a pointer itself, and nothing for an empty file. */
export function toLfsPointer(content: Uint8Array): Uint8Array {
  if (isStoredAsIs(content)) return content;
  const oid = createHash('sha256').update(content).digest('hex');
  return Buffer.from(`${FIRST_LINE}\noid sha256:${oid}\nsize ${content.byteLength}\n`);
}

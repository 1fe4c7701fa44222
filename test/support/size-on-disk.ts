import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = 4096;

/** Bytes on a disk of all below a directory. Links to one file are one file. */
export function sizeOnDisk(directory: string, skipped: readonly string[] = []): number {
  const files = readdirSync(directory)
    .filter((name) => !skipped.includes(name))
    .flatMap((name) => [join(directory, name), ...filesIn(join(directory, name))]);
  const sizes = new Map<number, number>();
  for (const path of files) {
    const { ino, size } = lstatSync(path);
    sizes.set(ino, Math.ceil(size / BLOCK) * BLOCK);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

const filesIn = (path: string): string[] =>
  lstatSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((below) => join(path, below))
    : [];

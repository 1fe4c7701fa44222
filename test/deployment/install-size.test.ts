// How large an install is. The tests run in one, so the README can be compared with it.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const BLOCK = 4096;

/** Bytes on a disk of what `npm install` made of this checkout. What programs cache there later does not count. */
function sizeOfInstall(): number {
  const root = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const files = readdirSync(root)
    .filter((name) => name !== '.cache')
    .flatMap((name) => [join(root, name), ...filesIn(join(root, name))]);
  const sizes = new Map<number, number>();
  for (const path of files) {
    // Links to one file are one file.
    const { ino, size } = lstatSync(path);
    sizes.set(ino, Math.ceil(size / BLOCK) * BLOCK);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

const filesIn = (path: string): string[] =>
  lstatSync(path).isDirectory()
    ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((below) => join(path, below))
    : [];

it('an install is as large as the README says, within a tenth', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, said] = /The install takes a minute and ([\d.]+) GB/.exec(readme) ?? [];
  const megabytes = Math.round(sizeOfInstall() / 1e6);
  const isRight = Math.abs(Number(said) * 1000 - megabytes) < megabytes / 10;
  expect({ said, megabytes, isRight }).toEqual({ said, megabytes, isRight: true });
});

// A directory on a file system that copies by reference: that of temporary files if it can, or one that is made for the tests,
// which takes root and the programs of xfs.
import { execFileSync } from 'node:child_process';
import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from '@jest/globals';

const SIZE = '512M';

function canReference(directory: string): boolean {
  const [from, to] = [join(directory, 'from'), join(directory, 'to')];
  writeFileSync(from, 'x'.repeat(10_000));
  try {
    copyFileSync(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    return false;
  }
}

const run = (program: string, ...args: string[]): void =>
  void execFileSync(program, args, { stdio: 'pipe' });

function mounted(own: string): string | undefined {
  const [image, at] = [join(own, 'image'), join(own, 'mounted')];
  try {
    run('truncate', '--size', SIZE, image);
    run('mkfs.xfs', '-q', '-m', 'reflink=1', image);
    mkdirSync(at);
    run('mount', '-o', 'loop', image, at);
    return at;
  } catch {
    return undefined;
  }
}

/** Skips the tests where no such file system can be had. */
export function describeWithReferences(name: string, tests: (at: string) => void): void {
  const own = mkdtempSync(join(tmpdir(), 'issuewright-test-'));
  const at = canReference(own) ? own : mounted(own);
  (at === undefined ? describe.skip : describe)(name, () => tests(at ?? own));
  afterAll(() => {
    if (at !== undefined && at !== own) run('umount', '--lazy', at);
    rmSync(own, { recursive: true, force: true });
  });
}

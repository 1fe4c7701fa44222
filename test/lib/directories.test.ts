import { execFileSync } from 'node:child_process';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { makeDirectories } from '../../src/lib/directories.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('makes a directory and those around it, and leaves one that exists', () => {
  const path = join(temporaryDirectory(), 'a', 'b', 'c');
  makeDirectories(path, 0o700);
  makeDirectories(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it('says what is in its way', () => {
  const root = temporaryDirectory();
  writeFileSync(join(root, 'file'), '');
  symlinkSync('nowhere', join(root, 'link'));
  expect(() => makeDirectories(join(root, 'file'))).toThrow(/EEXIST/);
  expect(() => makeDirectories(join(root, 'file', 'a'))).toThrow(/ENOTDIR/);
  expect(() => makeDirectories(join(root, 'link'))).toThrow(/ENOENT/);
});

// A loop that never ends would take the tests with it.
(process.platform === 'linux' ? it : it.skip)('no setting makes the start hang below /proc', () => {
  const source = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url));
  const script = `
    import { inDataDirectory } from ${source('store/embedded/lock.ts')};
    import { keptPagesToken } from ${source('web/pages-token.ts')};
    import { makeTemporaryDirectory } from ${source('workspace/work-directory.ts')};
    for (const use of [inDataDirectory, keptPagesToken, makeTemporaryDirectory])
      try { await use('/proc/none/data'); } catch (error) { console.log(error.message); }`;
  const options = { timeout: 240_000, killSignal: 'SIGKILL', encoding: 'utf8' } as const;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], options).split(
    '\n',
  );
  expect(said[0]).toMatch(
    /^The data directory \/proc\/none\/data cannot be used: .*\(ENOENT\).*DATA_DIR/,
  );
  expect(said[1]).toMatch(/^The token .* DATA_DIR: .*\(ENOENT\)/);
  expect(said[2]).toMatch(/ENOENT/);
});

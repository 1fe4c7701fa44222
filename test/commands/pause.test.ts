import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('a file .env that cannot be read is named, without a stack', () => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, '.env'));
  const { status, stderr } = spawnSync(process.execPath, [resolve('bin/issuewright.js'), 'pause'], {
    cwd,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(
      /^issuewright pause: The file \.env in this directory cannot be read .*\n$/,
    ),
  ]);
});

// `./issuewright demo`, as the README has people start: no settings, no terminal.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { checkedByImport } from '../support/github-schemas/checked-by-import.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it('the demo plays a story to its merge, says what came of it, and ends', async () => {
  const directory = temporaryDirectory();
  const words = [resolve('bin/issuewright.js'), 'demo'];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: directory,
    env: { PATH: process.env['PATH'] ?? '', TMPDIR: directory, ...checkedByImport() },
  });
  expect(stdout).toMatch(/An issue became a merged pull request in \d+\.\d s\./);
});

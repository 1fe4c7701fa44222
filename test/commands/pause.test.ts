import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { pause, resume } from '../../src/commands/pause-and-resume.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.each([
  [
    pause,
    ['--reason', 'we move'],
    /Unknown option "--reason"\. Usage: issuewright pause \[REASON\]/,
  ],
  [pause, ['we', 'move', '-h'], /Unknown option "-h"/],
  [resume, ['--dry-run'], /resume takes no arguments/],
  [resume, ['tomorrow'], /"tomorrow"/],
])('$name %j changes nothing, and says why', async (command, words, fault) => {
  const printed: string[] = [];
  const code = await command.run({
    arguments: words,
    environment: { DATABASE_URL: 'postgres://localhost:1/nowhere' },
    startService: () => Promise.reject(new Error('it starts nothing')),
    print: (text) => void printed.push(text),
  });
  expect([code, printed.join()]).toEqual([1, expect.stringMatching(/^Nothing was changed\. /)]);
  expect(printed.join()).toMatch(fault);
});

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

import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

it.each([
  ['issuewright', 'pause', /^Usage: issuewright/],
  ['issuewright', 'start', /^Usage: issuewright/],
  ['playground', 'github', /npm run github/],
])('%s %s --help explains the commands and does nothing', async (program, command, usage) => {
  const args = [path.resolve(`bin/${program}.js`), command, '--help'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  expect(stdout).toMatch(usage);
  expect(stderr).toBe('');
});

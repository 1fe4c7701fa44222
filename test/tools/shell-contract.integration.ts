import { mkdtempSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openSandbox, unsafeShell } from '../../packages/sandbox/src/index.ts';
import { shellContract } from '../contract/shell.ts';
import { fakeShell } from '../support/fakes/fake-shell.ts';

const log = pino({ level: 'silent' });
const opened = await openSandbox({ allowHosts: [], log });
afterAll(async () => {
  if (opened.state === 'ready') await opened.sandbox.close();
});

/** Like a workspace: in a directory that nothing else uses. */
async function makePlace() {
  const around = mkdtempSync(join(tmpdir(), 'issuewright-test-'));
  const directory = join(around, 'tree');
  await mkdir(directory);
  return { directory, close: () => rm(around, { recursive: true, force: true }) };
}

shellContract('the shell of the tests', async () => {
  const place = await makePlace();
  return { ...place, shell: fakeShell(place.directory) };
});

shellContract('the unsafe shell', async () => {
  const place = await makePlace();
  return { ...place, shell: unsafeShell(place) };
});

if (opened.state === 'ready')
  shellContract('the sandbox', async () => {
    const place = await makePlace();
    return { ...place, shell: opened.sandbox.shell(place) };
  });
else
  it('has no sandbox to hold to the contract here, and knows why', () => {
    expect(process.env['CI']).toBeUndefined();
    process.stderr.write(`The contract of the sandbox is skipped: ${opened.why}\n`);
  });

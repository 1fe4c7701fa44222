import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TRIES = 2000;
const outside = temporaryDirectory();
const root = temporaryDirectory();
const files = new WorkspaceFiles(root);

/** Exchanges a directory for a link to the outside and back, as fast as it can. */
const SWAPPER = `
  const { renameSync } = require('node:fs');
  process.chdir(process.argv[1]);
  process.send('ready');
  process.on('disconnect', () => process.exit());
  let spare = 0;
  // A write may have made a directory in the gap: it is put aside.
  const put = (name) => {
    for (;;)
      try { return renameSync(name, 'here'); } catch { renameSync('here', 'spare-' + spare++); }
  };
  (function swap() {
    for (let i = 0; i < 200; i += 1) {
      renameSync('here', 'real'); put('link');
      renameSync('here', 'link'); put('real');
    }
    setImmediate(swap);
  })();
`;

/** Runs `act` while another process swaps. */
async function whileSwapping(act: () => Promise<void>): Promise<void> {
  const swapper = spawn(process.execPath, ['-e', SWAPPER, root], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(swapper, 'message');
  try {
    await act();
  } finally {
    swapper.disconnect();
    await once(swapper, 'exit');
  }
}

beforeAll(() => {
  writeFileSync(join(outside, 'file'), 'outside');
  mkdirSync(join(root, 'here'));
  writeFileSync(join(root, 'here', 'file'), 'inside');
  symlinkSync(outside, join(root, 'link'));
});

it('reads and writes nothing outside while a directory is exchanged for a link', async () => {
  const counts = { done: 0, refused: 0 };
  await whileSwapping(async () => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      try {
        await files.write('here/file', Buffer.from('inside'));
        expect(Buffer.from(await files.read('here/file')).toString()).toBe('inside');
        counts.done += 1;
      } catch (error) {
        if (error instanceof Error && error.name !== 'TellModel') throw error;
        counts.refused += 1;
      }
    }
  });
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('outside');
  expect(readdirSync(outside)).toEqual(['file']);
  // The race was real: both outcomes were met.
  expect(counts.done).toBeGreaterThan(0);
  expect(counts.refused).toBeGreaterThan(0);
});

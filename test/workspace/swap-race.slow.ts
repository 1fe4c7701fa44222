import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { PartialMove } from '../../src/workspace/files/move-files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { cases } from '../support/cases.ts';

const FEWEST_TRIES = cases(6_000, 20_000);
const outside = temporaryDirectory();
const root = temporaryDirectory();
const files = new WorkspaceFiles(root);

/** Exchanges a directory for a link to the outside and back, as fast as it can. */
const SWAPPER = `
  const { mkdirSync, renameSync } = require('node:fs');
  process.chdir(process.argv[1]);
  process.send('ready');
  process.on('disconnect', () => process.exit());
  let spare = 0;
  const tried = (act) => { try { act(); return true; } catch { return false; } };
  // A write may have made a directory in the gap: it is moved away.
  const put = (name) => {
    while (!tried(() => renameSync(name, 'here'))) tried(() => renameSync('here', 'spare-' + spare++));
  };
  // One that was emptied is gone.
  const take = (name) => {
    while (!tried(() => renameSync('here', name))) tried(() => mkdirSync('here'));
  };
  (function swap() {
    for (let i = 0; i < 200; i += 1) { take('real'); put('link'); take('link'); put('real'); }
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

const inside = Buffer.from('inside');
const seen = new Set<string>();

/** Each could touch the files outside that have the same names. */
const QUICK: Record<string, () => Promise<unknown>> = {
  read: async () => seen.add(Buffer.from(await files.read('here/file')).toString()),
  'read deeper': async () => seen.add(Buffer.from(await files.read('here/in/file')).toString()),
  list: async () => {
    for (const { name } of await files.list('here/in')) seen.add(name);
  },
};
const SLOW: Record<string, () => Promise<unknown>> = {
  write: () => files.write('here/file', inside),
  move: async () => {
    await files.write('here/in/file', inside);
    await files.rename([{ from: 'here/in/file', to: 'here/in/moved' }]);
    await files.delete('here/in/moved');
  },
  'bring in': async () => {
    await files.write('new', inside);
    await files.rename([{ from: 'new', to: 'here/in/new' }]);
  },
  delete: async () => {
    await files.write('here/in/spare', inside);
    await files.delete('here/in/spare');
  },
};
const QUICK_ROUNDS = 32;

const OUTSIDE = ['file', 'in/file', 'in/outside', 'in/spare'];

beforeAll(() => {
  mkdirSync(join(outside, 'in'));
  for (const path of OUTSIDE) writeFileSync(join(outside, path), 'outside');
  mkdirSync(join(root, 'here', 'in'), { recursive: true });
  for (const path of ['file', 'in/file']) writeFileSync(join(root, 'here', path), inside);
  symlinkSync(outside, join(root, 'link'));
});

it('touches nothing outside while a directory is exchanged for a link', async () => {
  const quick = Array.from({ length: QUICK_ROUNDS }, () => Object.entries(QUICK)).flat();
  const turn = [...quick, ...Object.entries(SLOW)];
  const done = new Set<string>();
  const failed = new Set<string>();
  // Whatever failed did so while the directory was exchanged.
  const isReal = (): boolean => done.has('read deeper') && turn.every(([name]) => failed.has(name));
  await whileSwapping(async () => {
    for (let tries = 0; tries < FEWEST_TRIES || !isReal(); tries += 1) {
      const [name, operate] = turn[tries % turn.length]!;
      try {
        await operate();
        done.add(name);
      } catch (error) {
        if (!(error instanceof TellModel || error instanceof PartialMove)) throw error;
        failed.add(name);
      }
    }
  });
  expect(readdirSync(outside, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(
    [...OUTSIDE, 'in'].toSorted(),
  );
  for (const path of OUTSIDE) expect(readFileSync(join(outside, path), 'utf8')).toBe('outside');
  expect(seen).not.toContain('outside');
}, 120_000);

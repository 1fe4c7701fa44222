import { once } from 'node:events';
import { mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { canRename } from '../../src/workspace/git/engines/native/cache-room.ts';
import { requireTemporaryDirectory, sweepWorkspaces } from '../../src/workspace/work-directory.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** No process has it: ids end at four million. */
const DEAD = '99999999';

it.each([
  ['the look whether there can be workspaces', requireTemporaryDirectory],
  [
    'the look whether work trees can be renamed',
    (to: string) => canRename(temporaryDirectory(), to),
  ],
])('what a process leaves that is killed in %s is removed by the next', async (_what, look) => {
  const parent = temporaryDirectory();
  const watcher = watch(parent);
  const made = once(watcher, 'change') as Promise<[string, string]>;
  await look(parent);
  const [, name] = await made;
  watcher.close();
  expect(readdirSync(parent)).toEqual([]);
  mkdirSync(join(parent, name.replace(String(process.pid), DEAD)));
  expect(await sweepWorkspaces(() => {}, parent)).toEqual({ removed: 1, left: [] });
});

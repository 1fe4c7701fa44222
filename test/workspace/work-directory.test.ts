import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openWorkDirectory, sweepWorkDirectories } from '../../src/workspace/work-directory.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const MODULE = new URL('../../src/workspace/work-directory.ts', import.meta.url).href;

/** A process with a work directory, and a workspace in it. */
async function processIn(parent: string) {
  const script = `
    import { mkdirSync } from 'node:fs';
    const { openWorkDirectory } = await import(${JSON.stringify(MODULE)});
    const { path } = await openWorkDirectory(process.argv[1]);
    mkdirSync(path + '/workspace/tree', { recursive: true });
    console.log(path);
    setInterval(() => {}, 1000);`;
  const words = ['--input-type=module', '--eval', script, parent];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [path] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = async (): Promise<void> => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return { path: path.toString().trim(), kill };
}

it('directories of processes that ended are removed, and those of others stay', async () => {
  const parent = join(temporaryDirectory(), 'work');
  const mine = await openWorkDirectory(parent);
  const dead = await processIn(parent);
  const alive = await processIn(parent);
  await dead.kill();
  mkdirSync(join(parent, 'something else'));
  const ended: string[] = [];
  const swept = await sweepWorkDirectories((path) => void ended.push(path), parent);
  expect(swept).toEqual({ removed: 1, left: [] });
  expect(ended).toEqual([join(dead.path, 'workspace')]);
  expect([dead, mine, alive].map(({ path }) => existsSync(path))).toEqual([false, true, true]);
  await alive.kill();
  await mine.close();
  await sweepWorkDirectories(() => {}, parent);
  expect(readdirSync(parent)).toEqual(['something else']);
});

it('other users get through to the work trees, and list nothing on the way', async () => {
  const before = process.umask(0o077);
  try {
    const parent = join(temporaryDirectory(), 'work');
    const made = await openWorkDirectory(parent);
    const { path } = made;
    writeFileSync(join(path, 'file'), '');
    expect([parent, path].map((each) => statSync(each).mode & 0o777)).toEqual([0o711, 0o711]);
    await made.close();
    expect(readdirSync(parent)).toEqual([]);
  } finally {
    process.umask(before);
  }
});

it('nothing is swept where no process ever had one', async () => {
  const parent = join(temporaryDirectory(), 'none');
  expect(await sweepWorkDirectories(() => {}, parent)).toEqual({ removed: 0, left: [] });
});

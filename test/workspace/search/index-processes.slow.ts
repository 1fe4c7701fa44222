import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { sourceFiles } from '../../../bench/tools/repository.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ask, filesIn, indexed, segmentsIn } from './indexed.ts';
import { write } from './support.ts';

const PROGRAM = fileURLToPath(new URL('index-process.ts', import.meta.url));
const FILES = 3000;
const QUESTIONS = [
  'the invoice of a customer',
  'retryPolicy',
  'how is a voucher applied',
  'session',
];

/** In a directory that stands for the cache. */
const newDirectory = (): string => join(temporaryDirectory(), 'words');

function seed(): string {
  const root = temporaryDirectory();
  write(
    root,
    Object.fromEntries([...sourceFiles(FILES)].map(({ path, text: all }) => [path, all])),
  );
  return root;
}

const start = (root: string, directory: string) =>
  spawn(process.execPath, [PROGRAM, root, directory], { stdio: ['ignore', 'pipe', 'inherit'] });

async function expectSame(root: string, directory: string): Promise<void> {
  const { search, plain, index, failures } = indexed(root, filesIn(root), { directory });
  for (const question of QUESTIONS)
    expect(await ask(search, question)).toEqual(await ask(plain, question));
  await index.built();
  for (const question of QUESTIONS)
    expect(await ask(search, question)).toEqual(await ask(plain, question));
  expect(failures).toEqual([]);
}

it('has each file once if two processes add to it at once', async () => {
  const [root, directory] = [seed(), newDirectory()];
  const children = [start(root, directory), start(root, directory)];
  const added = await Promise.all(children.map(({ stdout }) => text(stdout)));
  expect(added.map(Number).toSorted((one, other) => one - other)).toEqual([0, FILES]);
  expect(segmentsIn(directory)).toHaveLength(1);
  await expectSame(root, directory);
});

it('is whole again after processes were killed while they wrote', async () => {
  const [root, directory] = [seed(), newDirectory()];
  mkdirSync(directory, { recursive: true });
  for (let events = 1; events <= 6; events += 1) {
    const child = start(root, directory);
    const watcher = watch(directory);
    const ended = once(child, 'exit');
    let left = events;
    watcher.on('change', () => {
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
    });
    await ended;
    watcher.close();
  }
  await expectSame(root, directory);
  expect(readdirSync(directory).filter((name) => name.endsWith('.making'))).toEqual([]);
  expect(segmentsIn(directory).map((name) => join(directory, name))).toHaveLength(1);
});

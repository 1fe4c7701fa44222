// Disks that are full for a while, of bytes or of files.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Row, Try } from '../fault.ts';
import { PLAIN, SHELL, type Tale } from '../tales.ts';
import type { World } from '../world.ts';
import { atEntry } from './moments.ts';

const run = promisify(execFile);

/** The data directory takes 60 MB of it. */
const SIZE = '160m';
const SEQS = [5, 9, 13, 17];
const FULL_FOR_MS = 4_000;

/** For a disk that has room for few files. The data directory takes some 2,000. */
const INODES = '6k';

/** A small disk of its own, in memory. */
function newDisk(options = `size=${SIZE}`) {
  const disk = path.join(tmpdir(), `iw-disk-${randomUUID()}`);
  return {
    path: disk,
    mount: async (): Promise<void> => {
      await mkdir(disk);
      await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
    },
    unmount: async (): Promise<void> => {
      await run('umount', ['-l', disk]).catch(() => {});
      await rmdir(disk);
    },
  };
}

async function whySkipped(): Promise<string | undefined> {
  const disk = newDisk();
  const failure = await disk.mount().catch(() => 'skipped: this user cannot mount a small disk');
  await disk.unmount();
  return failure ?? undefined;
}

/** Fills the disk to the last byte, and frees it after a while. */
async function fill<T>(disk: string, work: () => Promise<T>): Promise<T> {
  const filler = path.join(disk, 'filler');
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1M']).catch(() => {});
  await writeFile(`${filler}-2`, 'x'.repeat(4_096)).catch(() => {});
  try {
    return await work();
  } finally {
    await rm(filler);
    await rm(`${filler}-2`, { force: true });
  }
}

/** Makes files until there is no room for another, and removes them after a while. */
async function fillWithFiles<T>(disk: string, work: () => Promise<T>): Promise<T> {
  const directory = path.join(disk, 'fillers');
  await mkdir(directory);
  for (let nth = 0, isFull = false; !isFull; nth += 1)
    await writeFile(path.join(directory, `${nth}`), '').catch(() => (isFull = true));
  try {
    return await work();
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** As people do: the label again, if the work failed. */
export const readyAtLast =
  (tale: Tale) =>
  async (world: World): Promise<void> => {
    const { number } = world.ask(tale.title);
    const asked = second();
    const status = await world.untilStatus(number, /ready for review|failed|not finished/i);
    if (/ready for review/i.test(status.body)) return;
    // GitHub dates a label by the second: set twice in one, it is one request.
    await world.until('another second', () => second() !== asked);
    world.maintainer.unlabel(world.thread(number), SAMPLE.label);
    world.maintainer.label(world.thread(number), SAMPLE.label);
    await world.until('the pull request', () => world.pulls().some(({ pull }) => !pull.draft));
  };

const second = (): number => Math.floor(Date.now() / 1000);

/** A service that ends, because its database does, is started again by whoever runs it. */
async function whileFull(
  world: World,
  disk: string,
  open: () => Promise<void>,
  filling = fill,
): Promise<void> {
  const ended = world.untilEnded().then(() => 'ended' as const);
  const how = await filling(disk, async () => {
    const lasted = pause(FULL_FOR_MS, 'lasted' as const);
    await open();
    return Promise.race([ended, lasted]);
  });
  if (how === 'ended') await world.start();
}

/** The story goes on without a log, and the log goes on when there is room again. */
async function whileLogIsFull(world: World, log: string, open: () => Promise<void>): Promise<void> {
  const { service, stage } = world;
  const ended = service.ended().then(() => 'ended' as const);
  await fill(path.dirname(log), async () => {
    await fillLastPage(log);
    const { size } = await stat(log);
    await open();
    const ready = world.untilStatus(1, /ready for review/i).then(() => 'ready' as const);
    if ((await Promise.race([ended, ready])) === 'ended') throw new Error('the service ended');
    if ((await stat(log)).size !== size) throw new Error('the disk had room for the log');
  });
  await fetch(`${stage.serviceUrl}/healthz`);
  await service.untilLogged(/healthz/);
}

/** It has room for lines, however full the disk is. */
async function fillLastPage(file: string): Promise<void> {
  const { size, blksize } = await stat(file);
  await appendFile(file, '\n'.repeat(blksize - (size % blksize))).catch(() => {});
}

/** `how` says what is on the small disk, and what happens to it. */
const fullDisk = (
  fault: string,
  how: (disk: string) => Pick<Try, 'below' | 'environment' | 'logFile' | 'play'> & {
    readonly strike: (world: World, open: () => Promise<void>) => Promise<void>;
    readonly tale?: Tale;
  },
  options?: string,
): Row => ({
  fault: `disk full: ${fault}`,
  skipped: whySkipped,
  tries: () =>
    SEQS.map((seq): Try => {
      const disk = newDisk(options);
      const { strike, tale = PLAIN, ...more } = how(disk.path);
      return {
        ...more,
        name: `entry ${seq}`,
        tale,
        before: disk.mount,
        after: disk.unmount,
        arm: atEntry(seq, (world, gate) => strike(world, () => gate.open())),
      };
    }),
});

export const DISK: readonly Row[] = [
  fullDisk('workspace', (disk) => ({
    environment: { TMPDIR: disk },
    play: readyAtLast(PLAIN),
    strike: (world, open) => whileFull(world, disk, open),
  })),
  fullDisk('database', (disk) => ({
    below: disk,
    play: readyAtLast(PLAIN),
    strike: (world, open) => whileFull(world, disk, open),
  })),
  fullDisk('TMPDIR, while commands run', (disk) => ({
    environment: { TMPDIR: disk },
    tale: SHELL,
    play: readyAtLast(SHELL),
    strike: (world, open) => whileFull(world, disk, open),
  })),
  fullDisk(
    'no inodes for the workspace',
    (disk) => ({
      environment: { TMPDIR: disk },
      play: readyAtLast(PLAIN),
      strike: (world, open) => whileFull(world, disk, open, fillWithFiles),
    }),
    `size=${SIZE},nr_inodes=${INODES}`,
  ),
  fullDisk(
    'no inodes for the database',
    (disk) => ({
      below: disk,
      play: readyAtLast(PLAIN),
      strike: (world, open) => whileFull(world, disk, open, fillWithFiles),
    }),
    `size=${SIZE},nr_inodes=${INODES}`,
  ),
  fullDisk('log', (disk) => {
    const logFile = path.join(disk, 'service.log');
    return {
      environment: { LOG_LEVEL: 'debug' },
      logFile,
      strike: (world, open) => whileLogIsFull(world, logFile, open),
    };
  }),
];

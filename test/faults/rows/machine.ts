// A machine that starts no more processes, or has no memory left, for a while. Only the service is limited, by a cgroup of its own.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DidNotHappen, type Row } from '../fault.ts';
import { PLAIN, SHELL } from '../tales.ts';
import type { World } from '../world.ts';
import { readyAtLast } from './disk.ts';
import { atEntry } from './moments.ts';

const SEQS = [4, 9, 13, 17];
const LIMITED_FOR_MS = 4_000;
/** Less than a clone takes. */
const FEW_BYTES = 24 * 1024 * 1024;
const ROOT = '/sys/fs/cgroup';

type Controller = 'pids' | 'memory';

/** In both versions of the kernel's interface: the file of the limit, what is none, and the file that counts what it denied. */
const LIMITS = {
  pids: { v1: ['pids.max', 'max', 'pids.events'], v2: ['pids.max', 'max', 'pids.events'] },
  memory: {
    v1: ['memory.limit_in_bytes', '-1', 'memory.failcnt'],
    v2: ['memory.max', 'max', 'memory.events'],
  },
} as const;

async function openGroup(controller: Controller) {
  const isFirst = existsSync(path.join(ROOT, controller));
  const parent = isFirst ? path.join(ROOT, controller) : ROOT;
  const [file, none, events] = LIMITS[controller][isFirst ? 'v1' : 'v2'];
  const group = path.join(parent, `iw-faults-${randomUUID()}`);
  await mkdir(group);
  const limit = (value: string): Promise<void> => writeFile(path.join(group, file), value);
  const isGone = (): Promise<boolean> =>
    rmdir(group).then(
      () => true,
      () => false,
    );
  const close = async (): Promise<void> => {
    await limit(none);
    const left = await readFile(path.join(group, 'cgroup.procs'), 'utf8');
    for (const pid of left.split('\n').filter(Boolean))
      await writeFile(path.join(parent, 'cgroup.procs'), pid).catch(() => {});
    // The last one may be ending.
    for (let tries = 0; tries < 50 && !(await isGone()); tries += 1) await pause(100);
  };
  if (!existsSync(path.join(group, file))) {
    await rmdir(group);
    throw new Error('the controller is not enabled');
  }
  return {
    enter: (pid: number): Promise<void> => writeFile(path.join(group, 'cgroup.procs'), `${pid}`),
    processes: async () => Number(await readFile(path.join(group, 'pids.current'), 'utf8')),
    limit,
    /** `max 3` in a file of several lines, or the number alone. */
    wasReached: async () =>
      /^(?:max )?[1-9]/m.test(await readFile(path.join(group, events), 'utf8')),
    close,
  };
}

const whySkipped = (controller: Controller) => async (): Promise<string | undefined> => {
  try {
    await (await openGroup(controller)).close();
    return undefined;
  } catch {
    return `skipped: this user cannot limit processes by the cgroup controller ${controller}`;
  }
};

/** A service that the kernel ends for it is started again by whoever runs it. */
async function whileLimited(
  world: World,
  controller: Controller,
  open: () => Promise<void>,
): Promise<void> {
  const group = await openGroup(controller);
  const ended = world.untilEnded();
  try {
    await group.enter(world.service.pid ?? 0);
    await group.limit(String(controller === 'pids' ? await group.processes() : FEW_BYTES));
    await open();
    await Promise.race([ended, pause(LIMITED_FOR_MS)]);
    if (!(await group.wasReached())) throw new DidNotHappen('it needed no more than it had');
  } finally {
    await group.close();
  }
  if (world.running.length === 0) await world.start();
}

const limited = (fault: string, controller: Controller): Row => ({
  fault: `machine: ${fault}`,
  skipped: whySkipped(controller),
  least: 4,
  tries: () =>
    [PLAIN, SHELL].flatMap((tale) =>
      SEQS.map((seq) => ({
        name: `${tale.name}, entry ${seq}`,
        tale,
        play: readyAtLast(tale),
        arm: atEntry(seq, (world, gate) => whileLimited(world, controller, () => gate.open())),
      })),
    ),
});

export const MACHINE: readonly Row[] = [
  limited('no further process or thread', 'pids'),
  limited('no memory left', 'memory'),
];

import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CommandDone } from '../../../src/contracts/shell.ts';
import { unlessItFails } from '../../../src/lib/errors.ts';
import { alone, hasLastingTmp, LOCK_MS, processesWith, Service, USERS, whyNot } from './support.ts';

const MIB = 1024 * 1024;

const declare = whyNot === '' ? describe : describe.skip;
declare.each(USERS)(`what a command may take of a service that runs %s ${whyNot}`, (_who, user) => {
  let service: Service;
  let tree: string;
  let lock: Awaited<ReturnType<typeof alone>> | undefined;
  beforeAll(async () => {
    lock = await alone();
    const limits = {
      memory: 300 * MIB,
      processes: 60,
      fileSize: 40 * MIB,
      disk: 100 * MIB,
      files: 3000,
      temporaryFiles: 200 * MIB,
      output: MIB,
    };
    service = await Service.start(user, { limits });
    expect(service.opened).toBe('ready');
    tree = service.workspace();
  }, LOCK_MS);

  afterAll(async () => {
    await service.stop();
    await lock?.release();
  });

  const python = (code: string): string => `python3 -c '${code}'`;

  it('is as much time as it was given, and its tree is dead then', async () => {
    const marker = `27182.${process.pid}`;
    const command = `trap "" TERM; echo begun; setsid sleep ${marker} & sleep ${marker}`;
    let timeoutMs = 1_000;
    let done: CommandDone;
    do {
      timeoutMs *= 2;
      done = await service.run(tree, command, { timeoutMs });
      // A loaded machine may need more time than that to begin.
    } while (done.output.head === '');
    const { ended, exitCode, output, durationMs } = done;
    expect({ ended, exitCode, output: output.head }).toEqual({
      ended: 'timeout',
      exitCode: null,
      output: 'begun\n',
    });
    expect(durationMs).toBeGreaterThanOrEqual(timeoutMs);
    expect(processesWith(marker)).toEqual([]);
  });

  it('is so many processes: a fork bomb ends with its command', async () => {
    const bomb = 'bomb() { bomb | bomb & }; bomb; sleep 1; echo survived';
    const { output } = await service.run(tree, bomb);
    expect(output.head).toMatch(/fork|survived/i);
    const count = python(
      'import os, time\nn = 0\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(60)\n    n += 1\nexcept OSError: print(n)',
    );
    expect(Number(await service.output(tree, count))).toBeLessThan(60);
  });

  it('is so much output, and both its ends are kept', async () => {
    const flood = await service.run(tree, 'echo first; yes');
    expect(flood).toMatchObject({ ended: 'output', exitCode: null });
    expect(flood.output.head).toMatch(/^first\ny\n/);
    expect(flood.output.left).toBeGreaterThan(MIB - 33_000);
    const long = await service.output(tree, 'echo first; yes | head -c 100000; echo last');
    expect(long).toMatch(/^first\n[^]*\nlast\n$/);
  });

  it('is so much memory, in one process', async () => {
    expect(await service.output(tree, python('x = bytearray(400 * 1024 * 1024)'))).toContain(
      'MemoryError',
    );
  });

  it('is so much memory, in all processes', async () => {
    const command = python(
      'import os, time\nfor _ in range(4): os.fork()\nx = bytearray(100 * 1024 * 1024)\ntime.sleep(6000)',
    );
    expect(await service.run(tree, command)).toMatchObject({ ended: 'memory', exitCode: null });
  });

  it('kills a command at its memory limit, even if no process owns the memory', async () => {
    const places = ['/run', '/dev/shm'].flatMap((at) =>
      [1, 2, 3, 4].map((n) => `head -c 39M /dev/zero > ${at}/${n}`),
    );
    const kept = await service.run(tree, `${places.join('; ')}; sleep 6000`);
    expect(kept.ended).toBe('memory');
    const shared = python(
      'import mmap, time\nx = [mmap.mmap(-1, 50 * 1024 * 1024) for _ in range(8)]\nfor m in x: m.write(bytes(50 * 1024 * 1024))\ntime.sleep(6000)',
    );
    expect((await service.run(tree, shared)).ended).toBe('memory');
  });

  it('is memory that processes share once, not once for each', async () => {
    const command = python(
      'import os, time\nx = bytearray(100 * 1024 * 1024)\nfor _ in range(3): os.fork()\ntime.sleep(1)\nprint("held")',
    );
    expect(await service.output(tree, command)).toContain('held');
  });

  it('is memory that processes share once, also while they begin and end', async () => {
    const command = python(
      'import os, signal\nx = bytearray(200 * 1024 * 1024)\nfor _ in range(35):\n  children = []\n  for _ in range(8):\n    child = os.fork()\n    if child == 0: signal.pause()\n    children.append(child)\n  for child in children: os.kill(child, 9); os.waitpid(child, 0)\nprint("held")',
    );
    expect(await service.output(tree, command)).toContain('held');
  });

  it('kills a command at its memory limit, even if the first thread of its process has ended', async () => {
    const command = python(
      'import ctypes, os, threading, time\nfor _ in range(3): os.fork()\nhold = lambda: [bytearray(60 * 1024 * 1024), time.sleep(6000)]\nthreading.Thread(target=hold).start()\nctypes.CDLL(None).pthread_exit(None)',
    );
    expect(await service.run(tree, command)).toMatchObject({ ended: 'memory', exitCode: null });
  });

  it('is so large a file', async () => {
    expect(await service.output(tree, 'head -c 50M /dev/zero > large; wc -c < large')).toContain(
      String(40 * MIB),
    );
  });

  (hasLastingTmp() ? it : it.skip)('is so much of the disk', async () => {
    const free = statfsSync(tree).bavail;
    const fill = 'i=0; while :; do head -c 8M /dev/zero > fill-$i; i=$((i+1)); done';
    const filled = service.workspace();
    expect(await service.run(filled, fill)).toMatchObject({ ended: 'disk', exitCode: null });
    await service.run(filled, 'rm fill-*');
    const temporary = await service.run(filled, `cd /tmp; ${fill}`);
    expect(temporary).toMatchObject({ ended: 'disk', exitCode: null });
    await service.run(filled, 'rm /tmp/fill-*');
    const nameless = python(
      'import os, time\nheld = []\nfor i in range(8):\n  f = open("held", "wb"); held.append(f); os.unlink("held"); f.write(bytes(30 * 1024 * 1024)); f.flush()\ntime.sleep(6000)',
    );
    expect((await service.run(filled, nameless)).ended).toBe('disk');
    const { bsize, bavail } = statfsSync(tree);
    expect(Math.abs(free - bavail) * bsize).toBeLessThan(2000 * MIB);
  });

  it('is so many files', async () => {
    const command = 'cd ~; mkdir f; i=0; while :; do : > f/$i; i=$((i+1)); done';
    expect((await service.run(service.workspace(), command, { timeoutMs: 270_000 })).ended).toBe(
      'disk',
    );
  });

  it('is the first to be killed if the machine runs out of memory', async () => {
    expect(await service.output(tree, 'cat /proc/self/oom_score_adj')).toBe('1000\n');
    expect(readFileSync(`/proc/${service.pid}/oom_score_adj`, 'utf8')).toBe(
      readFileSync('/proc/self/oom_score_adj', 'utf8'),
    );
  });

  it('may be all file system events of its user: the service needs none to watch commands', async () => {
    const hold =
      'import ctypes, os, time\nlibc = ctypes.CDLL(None)\nheld = 0\nwhile libc.inotify_init1(0) >= 0: held += 1\nprint(held, flush=True)\nwhile not os.path.exists("go"): time.sleep(0.05)';
    let other: ReturnType<Service['run']> | undefined;
    const onOutput = (): void => {
      const command = python(
        'import os, time\nfor _ in range(2): os.fork()\nx = bytearray(100 * 1024 * 1024)\ntime.sleep(6000)',
      );
      other ??= service
        .run(service.workspace(), command)
        .finally(() => service.write(join(tree, 'go'), ''));
    };
    const { ended, output } = await service.run(tree, python(hold), { onOutput });
    expect(ended).toBe('exited');
    const most = Number(readFileSync('/proc/sys/fs/inotify/max_user_instances', 'utf8'));
    expect(Number(output.head)).toBeGreaterThan(most / 2);
    expect((await other)?.ended).toBe('memory');
    const descriptors = readdirSync(`/proc/${service.pid}/fd`).map((name) =>
      unlessItFails(() => readlinkSync(`/proc/${service.pid}/fd/${name}`)),
    );
    expect(descriptors).not.toContain('anon_inode:inotify');
  });

  it('answers with the code, or the signal, that it ended with', async () => {
    expect((await service.run(tree, 'exit 3')).exitCode).toBe(3);
    expect((await service.run(tree, 'kill -9 $$')).exitCode).toBe(137);
    expect((await service.run(tree, 'no-such-program')).exitCode).toBe(127);
    expect((await service.run(tree, 'kill -TERM $$; echo late')).exitCode).toBe(143);
  });

  it('keeps the order of stdout and stderr, and lets both be opened by name', async () => {
    const command = 'echo 1; echo 2 >&2; echo 3 > /dev/stderr; echo 4 > /dev/stdout; printf é';
    expect(await service.output(tree, command)).toBe('1\n2\n3\n4\né');
  });

  it('leaves files that the service can read, change and remove', async () => {
    const place = service.workspace({ 'a.txt': 'a' });
    await service.run(place, 'mkdir -p d/e; echo b > d/e/b; chmod 000 d/e/b d/e d a.txt');
    expect(await service.output(place, 'cat a.txt d/e/b')).toBe('ab\n');
    service.write(join(place, 'a.txt'), 'written by the service');
    expect(await service.output(place, 'cat a.txt; echo c >> a.txt; tail -c 2 a.txt')).toBe(
      'written by the servicec\n',
    );
  });
});

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { removeLeftCgroups } from '../src/cgroup/command-cgroups.ts';
import { cgroupDirectory, type DelegatedCgroup } from '../src/cgroup/command-cgroups.ts';
import { startOf } from '../src/process-stat.ts';
import { Service, whyNot } from './support.ts';

const MIB = 1024 * 1024;
const LIMIT = 256 * MIB;
const OWN_CGROUP = join(import.meta.dirname, '../src/cgroup/command-cgroups.ts');

/** In a process of its own, which ends before the services of these tests start. */
function delegated(): DelegatedCgroup {
  const code = `import { delegatedCgroup } from '${OWN_CGROUP}'; console.log(JSON.stringify(delegatedCgroup()))`;
  const args = ['--input-type=module', '--eval', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as DelegatedCgroup;
}

const found: DelegatedCgroup =
  process.platform === 'linux' ? delegated() : { why: 'this is no Linux' };
const parent = 'parent' in found ? found.parent : '';
const skipped = whyNot || ('why' in found ? found.why : '');
const python = (code: string): string => `python3 -c '${code}'`;
const cgroupsOf = (service: Service): string[] =>
  readdirSync(parent).filter((name) => name.startsWith(`issuewright-command-${service.pid}-`));

const declare = skipped === '' ? describe : describe.skip;
declare(`a command in a cgroup of its own ${skipped}`, () => {
  let service: Service;
  let tree: string;

  beforeAll(async () => {
    service = await Service.start(undefined, { limits: { memory: LIMIT, processes: 60 } });
    expect(service.opened).toBe('ready');
    tree = service.workspace();
  });

  afterAll(() => service.stop());

  it('has the limits of the sandbox there, and takes it along when it ends', async () => {
    let files: string[] = [];
    const look = (all: string): void => {
      if (!all.includes('begun') || files.length > 0) return;
      const [name = ''] = cgroupsOf(service);
      files = ['memory.max', 'memory.swap.max', 'pids.max', 'memory.oom.group'].map((file) =>
        readFileSync(join(parent, name, file), 'utf8').trim(),
      );
      service.write(join(tree, 'go-on'), '');
    };
    const command = 'echo begun; until [ -e go-on ]; do :; done; cat /proc/self/cgroup';
    const { output } = await service.run(tree, command, { onOutput: look });
    expect(files).toEqual([String(LIMIT), '0', '60', '1']);
    expect(output.head).toMatch(/^0::\/.*issuewright-command-/m);
    expect(cgroupsOf(service)).toEqual([]);
    expect(service.memoryLimit).toContain('The kernel limits');
  });

  it('is killed whole if all its processes together use more memory, and is told why', async () => {
    const command = python(
      'import os, time\nfor _ in range(3): os.fork()\nx = bytearray(100 * 1024 * 1024)\ntime.sleep(100)',
    );
    const done = await service.run(tree, command, { timeoutMs: 100_000 });
    expect(done).toMatchObject({ ended: 'memory', exitCode: null });
    expect(cgroupsOf(service)).toEqual([]);
  });

  it('counts what the kernel keeps for it: queues of sockets', async () => {
    let peak = 0;
    const look = (): void => {
      const [name = ''] = cgroupsOf(service);
      peak = Number(readFileSync(join(parent, name, 'memory.current'), 'utf8'));
    };
    const command = python(
      'import socket\nheld = []\nwhile len(held) < 1900:\n  pair = socket.socketpair(); held.append(pair); pair[0].setblocking(False)\n  try:\n    while True: pair[0].send(bytes(65536))\n  except BlockingIOError: pass\n  if len(held) == 300: print("some", flush=True)\nprint("all", flush=True)',
    );
    const done = await service.run(tree, command, { timeoutMs: 100_000, onOutput: look });
    expect(peak).toBeGreaterThan(32 * MIB);
    expect(done.output.head).not.toContain('all');
    // Either the kernel kills it, or it gives its sockets no more memory.
    expect(
      done.ended === 'memory' || /No buffer space|Cannot allocate/.test(done.output.head),
    ).toBe(true);
  });

  it('leaves a cgroup if its service is killed, and the next start removes it', async () => {
    const other = await Service.start(undefined);
    const begun = new Promise<void>((resolve) => {
      other
        .run(other.workspace(), 'echo begun; sleep 100', { onOutput: () => resolve() })
        .catch(() => {});
    });
    await begun;
    await other.kill();
    expect(cgroupsOf(other)).toHaveLength(1);
    const next = await Service.start(undefined);
    expect(cgroupsOf(other)).toEqual([]);
    await next.stop();
  });
});

it('a sandbox says what limits the memory of its commands, and why not the kernel', async () => {
  if (whyNot !== '') return;
  const service = await Service.start(undefined);
  expect(service.memoryLimit).toBe(
    'why' in found
      ? `The memory of commands is watched and not limited by the kernel, because ${found.why}.`
      : `The kernel limits the memory of each command, by cgroup v2 below ${parent}.`,
  );
  await service.stop();
});

/** A cgroup for these tests, in what of cgroup v2 there is: removing needs no controller. */
function cgroupOfTests(): string {
  const text = (path: string): string => readFileSync(path, 'utf8');
  const own = cgroupDirectory(text('/proc/self/cgroup'), text('/proc/self/mountinfo'));
  if (own === undefined) return '';
  try {
    const place = join(parent || own, `issuewright-tests-${process.pid}`);
    mkdirSync(place);
    return place;
  } catch {
    return '';
  }
}

const place = process.platform === 'linux' ? cgroupOfTests() : '';
let child: ChildProcess | undefined;
afterEach(() => void child?.kill('SIGKILL'));
afterAll(() => {
  if (place !== '') rmdirSync(place);
});

const writable = place === '' ? it.skip : it;
writable('cgroups of services that are gone are removed, with what runs in them', async () => {
  const own = String(process.pid);
  const left = join(place, `issuewright-command-${own}-1-1`);
  const kept = join(place, `issuewright-command-${own}-${startOf(own)}-1`);
  const foreign = join(place, 'someone-else');
  for (const directory of [left, kept, foreign]) mkdirSync(directory);
  child = spawn('sleep', ['100'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  await once(child, 'spawn');
  writeFileSync(join(left, 'cgroup.procs'), String(child.pid));
  await removeLeftCgroups(place);
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect([left, kept, foreign].map((directory) => existsSync(directory))).toEqual([
    false,
    true,
    true,
  ]);
  for (const directory of [kept, foreign]) rmdirSync(directory);
});

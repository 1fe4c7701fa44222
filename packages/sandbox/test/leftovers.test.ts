import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, it } from '@jest/globals';
import { endLeftovers } from '../src/running/start-contained.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A process that waits, with the command line of another program. */
async function waiting(program: string, ...args: string[]): Promise<ChildProcess> {
  const child = spawn('/bin/sh', ['-c', 'read -r line', 'sh', ...args], { argv0: program });
  started.push(child);
  await once(child, 'spawn');
  return child;
}

const linux = process.platform === 'linux' ? it : it.skip;

linux('bubblewrap that waits in a leftover workspace is ended, and no other process', async () => {
  const directory = temporaryDirectory();
  const bind = (place: string, inside = '/workspace') => [
    '--setenv',
    'X',
    inside,
    '--bind',
    place,
    inside,
  ];
  const left = await waiting(
    '/usr/bin/bwrap',
    ...bind(`${directory}/tree`),
    '--chdir',
    '/workspace',
  );
  const ended = once(left, 'exit');
  const others = [
    await waiting('/usr/bin/bwrap', ...bind(`${directory}-other/tree`)),
    await waiting('/usr/bin/bwrap', ...bind(`${directory}/tree/deep`)),
    await waiting('/usr/bin/bwrap', ...bind(`${directory}/tree`, '/home/agent')),
    await waiting('/usr/bin/bwrap', '--ro-bind', `${directory}/tree`, '/workspace'),
    await waiting('/usr/bin/editor', ...bind(`${directory}/tree`)),
  ];
  endLeftovers(directory);
  expect(await ended).toEqual([null, 'SIGKILL']);
  for (const other of others) {
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
    other.stdin?.end('go on\n');
    expect(await once(other, 'exit')).toEqual([0, null]);
  }
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { unsafeShell } from '../src/index.ts';
import type { CommandRequest, Shell } from '../../../src/contracts/shell.ts';
import { holdTimeouts } from '../../../test/support/fake-timeouts.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { processesWith } from './support.ts';

function open(limits = {}): {
  shell: Shell;
  run: (command: string, more?: Partial<CommandRequest>) => ReturnType<Shell['run']>;
} {
  const directory = join(temporaryDirectory(), 'tree');
  mkdirSync(directory);
  const shell = unsafeShell({ directory }, { limits });
  const signal = new AbortController().signal;
  return {
    shell,
    run: (command, more) =>
      shell.run({ command, directory: '', timeoutMs: 100_000, signal, ...more }),
  };
}

it('runs a command in the workspace, with nothing of our environment', async () => {
  const { run } = open();
  process.env['SECRET_OF_THE_SERVICE'] = 'secret';
  const { ended, exitCode, output } = await run('env; echo wrong > /dev/stderr; pwd; exit 3');
  delete process.env['SECRET_OF_THE_SERVICE'];
  expect({ ended, exitCode }).toEqual({ ended: 'exited', exitCode: 3 });
  expect(output.head).toMatch(/wrong\n\/.*\/tree\n$/);
  expect(output.head).not.toContain('SECRET');
});

it('kills the tree of a command that takes too long, or says too much', async () => {
  const { run } = open({ output: 100_000 });
  const marker = `14142.${process.pid}`;
  const timeouts = holdTimeouts();
  const command = `(sleep ${marker} & sleep ${marker}) & setsid sleep ${marker} & echo begun; wait`;
  const slow = await run(command, { timeoutMs: 300, onOutput: timeouts.expire });
  expect(slow).toMatchObject({ ended: 'timeout', exitCode: null });
  expect(processesWith(marker)).toEqual([]);
  expect((await run('yes')).ended).toBe('output');
});

it('ends what the command left in its group, and waits for no one else', async () => {
  const { run } = open();
  const marker = `22360.${process.pid}`;
  const go = join(temporaryDirectory(), 'go');
  // The second has left the group before the command ends, and ends once this test has its answer.
  const leaves = `setsid sh -c 'touch ${go}.left; until [ -e ${go} ]; do sleep 0.05; done' &`;
  await run(`sleep ${marker} & ${leaves} until [ -e ${go}.left ]; do sleep 0.05; done`);
  expect(processesWith(marker)).toEqual([]);
  expect(processesWith(go)).not.toEqual([]);
  writeFileSync(go, '');
});

it('ends a command at a signal, and throws its reason', async () => {
  const { run } = open();
  const stop = new AbortController();
  const marker = `17320.${process.pid}`;
  const running = run(`echo begun; sleep ${marker}`, {
    signal: stop.signal,
    onOutput: () => stop.abort(new Error('stopped by a person')),
  });
  await expect(running).rejects.toThrow('stopped by a person');
  expect(processesWith(marker)).toEqual([]);
});

it('rejects what cannot be passed to a shell', async () => {
  const { run } = open();
  await expect(run('a\0b')).rejects.toThrow('NUL');
  await expect(run('x'.repeat(100_001))).rejects.toThrow(/at most 100000 bytes/);
});

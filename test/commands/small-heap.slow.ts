import { expect, it } from '@jest/globals';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Loaded before the program, each time that it begins. */
const TELL = `data:text/javascript,${encodeURIComponent(
  'console.log(JSON.stringify({ pid: process.pid, flags: process.execArgv, areas: process.env.MALLOC_ARENA_MAX }))',
)}`;

interface Begun {
  readonly pid: number;
  readonly flags: string[];
  /** How many areas glibc may have for all threads. */
  readonly areas?: string;
}

/** What V8 and glibc were told each time that the command began. It ends at once, as it has no settings. */
async function begun(command: string, options = '', more: Record<string, string> = {}) {
  const { stdout, stderr } = await runProgram([command], {
    directory: temporaryDirectory(),
    environment: { NODE_OPTIONS: `--import=${TELL} ${options}`, ...more },
  });
  expect(stderr).not.toContain('Warning');
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{"pid"'))
    .map((line) => JSON.parse(line) as Begun);
}

it.each(['start', 'serve', 'work'])(
  '%s begins again with a small heap, as the same process',
  async (command) => {
    const [first, second, ...more] = await begun(command);
    expect(first?.flags).toEqual([]);
    expect(second).toEqual({
      pid: first?.pid,
      flags: ['--max-semi-space-size=8', '--heap-growing-percent=40'],
      areas: '2',
    });
    expect(more).toEqual([]);
  },
);

it('leaves what threads allocate to an operator who sets it', async () => {
  const [, again] = await begun('start', '', { MALLOC_ARENA_MAX: '8' });
  expect(again?.areas).toBe('8');
});

it('leaves the heap to an operator who sets it', async () => {
  expect(await begun('start', '--max-semi-space-size=32')).toHaveLength(1);
});

it('begins once for a command that ends soon', async () => {
  expect(await begun('pause')).toHaveLength(1);
});

import { describe, expect, it } from '@jest/globals';
import { bench, type Bench } from './support.ts';

const numbers = (most: number): string =>
  Array.from({ length: most }, (_, index) => `line ${index + 1}`).join('\n');
const FAILURE = '  1) counts days:\n     AssertionError: 1 !== 2\n';
const SUMMARY = `  300 passing (2s)\n  1 failing\n\n${FAILURE}`;

const shown = async (text: string, command = 'cat out.txt'): Promise<string> => {
  const { call } = await bench({ 'out.txt': text });
  return (await call('bash', { command })).output;
};

describe('a long output of a command', () => {
  it.each([
    ['first', `${SUMMARY}\n${numbers(30_000)}`],
    ['in the middle', `${numbers(9_000)}\n${SUMMARY}\n${numbers(30_000)}`],
    ['last', `${numbers(30_000)}\n${SUMMARY}`],
  ])('keeps the totals and failures that a runner prints %s, once', async (_where, text) => {
    const output = await shown(text);
    expect(output.length).toBeLessThan(17_500);
    expect(output).toContain('1 failed, 300 passed.');
    expect(output.match(/AssertionError: 1 !== 2/g)).toHaveLength(1);
  });

  it('keeps the lines that report failures of what it leaves out, each once', async () => {
    const text = `${numbers(9_000)}\n${'Error: no such table\n'.repeat(3)}${numbers(30_000)}`;
    const output = await shown(text);
    expect(output).toMatch(/left out, but for these lines:\) …\nError: no such table\n…\n/);
    expect(output.match(/no such table/g)).toHaveLength(1);
    expect(output.length).toBeLessThan(17_000);
  });

  it('says nothing of tests if it has none', async () => {
    expect(await shown(numbers(30_000))).not.toMatch(/passed|failed|Failures/);
  });
});

describe('a whole output', () => {
  const named = async (world: Bench, tool: string, args: object): Promise<string> => {
    const { output } = await world.call(tool, args, new Set(['read_file']));
    return (
      /^\(The whole output: read_file with the path (output:[0-9a-f]+)\)$/m.exec(output)?.[1] ?? ''
    );
  };

  it('is read like a file, without colours, from the line that the call says', async () => {
    const world = await bench({ 'out.txt': `\u001B[31mred\u001B[39m\n${numbers(30_000)}` });
    const path = await named(world, 'bash', { command: 'cat out.txt' });
    const read = await world.call('read_file', { path, start_line: 20_001, end_line: 20_002 });
    expect(read.output).toBe(
      '20001\tline 20000\n20002\tline 20001\n(lines 20001 to 20002 of 30001)',
    );
    expect((await world.call('read_file', { path, end_line: 1 })).output).toMatch(/^1\tred\n/);
  });

  it('is named for tests that failed, and not for those that passed', async () => {
    const test = 'test:\n\t@cat out.txt; exit 1\n';
    const red = await bench({ Makefile: test, 'out.txt': numbers(3_000) });
    expect(await named(red, 'run_tests', {})).not.toBe('');
    const green = await bench({ Makefile: test.replace('exit 1', ''), 'out.txt': numbers(3_000) });
    expect(await named(green, 'run_tests', {})).toBe('');
  });

  it('is not named in a run that cannot read it, nor if the result has all of it', async () => {
    const { call } = await bench({ 'out.txt': numbers(30_000) });
    expect((await call('bash', { command: 'cat out.txt' })).output).not.toContain('output:');
    const world = await bench();
    expect(await named(world, 'bash', { command: 'echo a' })).toBe('');
  });

  it('that is not kept has to be made again', async () => {
    const { call } = await bench();
    await expect(call('read_file', { path: 'output:0ff' })).rejects.toThrow(/not kept/);
  });
});

it('a killed command is told how far its timeout goes, if it goes further', async () => {
  const { call, commands } = await bench({ Makefile: 'test:\n\t@sleep 30\n' });
  const command = { command: 'sleep 30', timeout: 1 };
  expect((await call('bash', command)).output).toContain('The argument timeout goes up to 300.');
  commands.settings = { ...commands.settings, longest: 2 };
  expect((await call('run_tests', { timeout: 1 })).output).toContain('timeout goes up to 2.');
  expect((await call('run_tests', { timeout: 9 })).output).not.toContain('goes up to');
});

it('only tests may take longer than five minutes, if the operator allows it', async () => {
  const { call, commands } = await bench({ Makefile: 'test:\n\t@true\n' });
  commands.settings = { ...commands.settings, longest: 1_200 };
  const times: (number | undefined)[][] = [];
  const run = commands.run.bind(commands);
  commands.run = (request) => {
    times.push([request.timeoutMs, request.longestMs]);
    return run(request);
  };
  await call('run_tests', {});
  await call('run_tests', { timeout: 9_999 });
  await call('bash', { command: 'true', timeout: 9_999 });
  expect(times).toEqual([
    [1_200_000, 1_200_000],
    [1_200_000, 1_200_000],
    [300_000, undefined],
  ]);
});

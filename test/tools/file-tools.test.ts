import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { bench } from './support.ts';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\tline`).join('\n');

describe('read_file', () => {
  it('numbers the lines, and reads a part of them', async () => {
    const { call } = await bench({ 'a.txt': '\ufeffone\r\ntwo\n\nfour' });
    const read = async (args: object) =>
      (await call('read_file', { path: 'a.txt', ...args })).output;
    expect(await read({})).toBe('1\tone\n2\ttwo\n3\t\n4\tfour');
    expect(await read({ start_line: 4 })).toBe('4\tfour');
    expect(await read({ start_line: '2', end_line: '3' })).toBe(
      '2\ttwo\n3\t\n(lines 2 to 3 of 4; read on with start_line 4)',
    );
    expect(await read({ end_line: 99 })).toBe('1\tone\n2\ttwo\n3\t\n4\tfour');
    await expect(read({ start_line: 5 })).rejects.toThrow('has only 4 lines');
    await expect(read({ start_line: 0 })).rejects.toThrow('arguments of read_file');
    await expect(read({ start_line: 3, end_line: 2 })).rejects.toBeInstanceOf(TellModel);
  });

  it('stops at its limits and says how to go on', async () => {
    const { call } = await bench({
      'long.txt': 'line\n'.repeat(3000),
      'wide.txt': 'x'.repeat(90_000),
    });
    const { output } = await call('read_file', { path: 'long.txt' });
    expect(output).toBe(
      `${numbered(1, 2000)}\n(lines 1 to 2000 of 3000; read on with start_line 2001)`,
    );
    expect((await call('read_file', { path: 'wide.txt' })).output).toBe(
      `1\t${'x'.repeat(2000)}… (cut: the line has 90000 characters)`,
    );
  });

  it('says what is empty, and refuses what is no text', async () => {
    const { call } = await bench({
      empty: '',
      binary: Uint8Array.from([0x50, 0, 1]),
      latin1: Uint8Array.from([0xe9, 0x0a]),
    });
    expect((await call('read_file', { path: 'empty' })).output).toBe('The file is empty.');
    await expect(call('read_file', { path: 'binary' })).rejects.toThrow('is not text in UTF-8');
    await expect(call('read_file', { path: 'latin1' })).rejects.toThrow('is not text in UTF-8');
    await expect(call('read_file', { path: '../x' })).rejects.toBeInstanceOf(TellModel);
  });
});

describe('write_file', () => {
  it('creates and replaces, and says which, with the size', async () => {
    const { call, text } = await bench();
    const write = async (content: string) =>
      (await call('write_file', { path: 'a/b.txt', content })).output;
    expect(await write('é')).toBe('Created "a/b.txt", 2 bytes.');
    expect(await write('')).toBe('Replaced "a/b.txt", 0 bytes.');
    expect(await text('a/b.txt')).toBe('');
  });
});

describe('list_directory', () => {
  it('lists the root and a directory, by its own name and its alias', async () => {
    const { call } = await bench({ 'src/a.ts': '123', 'b.md': '' });
    expect((await call('list_directory')).output).toBe('b.md (0 bytes)\nsrc/');
    expect((await call('list_files', { path: 'src' })).output).toBe('a.ts (3 bytes)');
    await expect(call('list_directory', { path: 'b.md' })).rejects.toBeInstanceOf(TellModel);
  });
});

describe('grep_search', () => {
  it('gives a pattern up that takes too long, and says so', async () => {
    const { call } = await bench({ 'long.txt': 'a'.repeat(400_000) });
    const pattern = `(?:${'.?'.repeat(10)}){90}[^a]$`;
    expect((await call('grep_search', { pattern })).output).toContain('make the pattern simpler');
  }, 10_000);

  const seed = {
    'src/a.ts': 'const a = 1;\nconst Bee = 2;\n',
    'src/deep/b.tsx': 'const b = 3;\r\n',
    'docs/c.md': 'const c\n',
    binary: Uint8Array.from([0, ...Buffer.from('const')]),
    'ignored/d.ts': 'const d',
    '.gitignore': 'ignored/\n',
  };

  it('finds lines with file and number, by path, glob and case', async () => {
    const { call } = await bench(seed);
    const search = async (args: object) => (await call('grep_search', args)).output;
    expect(await search({ pattern: '^const \\w+' })).toBe(
      'docs/c.md:1: const c\nsrc/a.ts:1: const a = 1;\nsrc/a.ts:2: const Bee = 2;\nsrc/deep/b.tsx:1: const b = 3;',
    );
    expect(await search({ pattern: 'const', path: 'docs' })).toBe('docs/c.md:1: const c');
    expect(await search({ pattern: 'const', path: 'src/a.ts', glob: '*.md' })).toBe(
      'No match in 0 files.',
    );
    expect(await search({ pattern: 'const b', glob: '*.{ts,tsx}' })).toBe(
      'src/deep/b.tsx:1: const b = 3;',
    );
    expect(await search({ pattern: 'bee', glob: 'src/*' })).toBe('No match in 1 file.');
    expect(await search({ pattern: 'bee', ignore_case: true })).toBe('src/a.ts:2: const Bee = 2;');
  });

  it('says what is wrong with a pattern, a glob or a path', async () => {
    const { call } = await bench(seed);
    const search = async (args: object) => call('grep_search', args);
    await expect(search({ pattern: '(' })).rejects.toThrow('no regular expression');
    await expect(search({ pattern: '(?=a)' })).rejects.toThrow('no look-arounds');
    await expect(search({ pattern: 'a', glob: '[z-a]' })).rejects.toThrow('The glob is not valid');
    await expect(search({ pattern: 'a', path: 'nowhere' })).rejects.toThrow('does not exist');
  });

  it('stops at 200 matches and cuts long lines', async () => {
    const { call } = await bench({
      'many.txt': 'x\n'.repeat(300),
      'wide.txt': `y${'z'.repeat(5000)}`,
    });
    const lines = (await call('grep_search', { pattern: 'x' })).output.split('\n');
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toContain('the first 200 matches');
    expect((await call('grep_search', { pattern: 'yz' })).output.length).toBeLessThan(350);
  });

  it('takes linear time for patterns made to be slow', async () => {
    const { call } = await bench({ 'a.txt': 'a'.repeat(5000) });
    expect((await call('grep_search', { pattern: '(a+)+$x' })).output).toBe('No match in 1 file.');
  });
});

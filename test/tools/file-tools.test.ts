import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { code } from '../../src/session/texts/markdown.ts';
import { readFileTool } from '../../src/tools/files/read-file.ts';
import { prepare } from '../../src/agent/dispatch.ts';
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
    expect(await read({ start_line: '2', end_line: '3' })).toBe('2\ttwo\n3\t\n(lines 2 to 3 of 4)');
    expect(await read({ end_line: 99 })).toBe('1\tone\n2\ttwo\n3\t\n4\tfour');
    await expect(read({ start_line: 5 })).rejects.toThrow('has only 4 lines');
    await expect(read({ start_line: -1 })).rejects.toThrow('arguments of read_file');
    await expect(read({ start_line: 3, end_line: 2 })).rejects.toBeInstanceOf(TellModel);
  });

  it('says of a pointer of Git LFS what it is', async () => {
    const oid = 'a'.repeat(64);
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12345\n`;
    const { call } = await bench({
      'model.bin': pointer,
      'a.txt': pointer.replace('size', 'sizes'),
    });
    expect((await call('read_file', { path: 'model.bin' })).output).toBe(
      `1\tversion https://git-lfs.github.com/spec/v1\n2\toid sha256:${oid}\n3\tsize 12345\n` +
        `(This is a pointer of Git LFS: the file itself has 12345 bytes, oid sha256:${oid}. It is not here and cannot be read or changed.)`,
    );
    expect((await call('read_file', { path: 'a.txt' })).output).not.toContain('Git LFS:');
  });

  it('stops at its limits and says how to continue', async () => {
    const { call } = await bench({
      'long.txt': 'line\n'.repeat(3000),
      'heavy.txt': `${'漢'.repeat(1000)}\n`.repeat(30),
    });
    const { output } = await call('read_file', { path: 'long.txt' });
    expect(output).toBe(
      `${numbered(1, 2000)}\n(lines 1 to 2000 of 3000; continue with start_line 2001)`,
    );
    const heavy = (await call('read_file', { path: 'heavy.txt' })).output;
    expect(heavy).toMatch(/\n\(lines 1 to 21 of 30; continue with start_line 22\)$/);
    expect(Buffer.byteLength(heavy)).toBeLessThan(65_000);
  });

  it('stops where the window of the model ends, at a line', async () => {
    const { tools } = await bench({ 'long.txt': 'line\n'.repeat(3000) });
    const prepared = prepare(tools, { tool: 'read_file', arguments: { path: 'long.txt' } });
    if ('fault' in prepared) throw new Error(prepared.fault);
    const { signal } = new AbortController();
    const { output } = await prepared.run({ startedAt: new Date(0), signal, room: 3_000 });
    expect(output).toMatch(/\n\(lines 1 to (\d+) of 3000; continue with start_line \d+\)$/);
    expect(output.length).toBeLessThanOrEqual(3_000);
    expect(output.length).toBeGreaterThan(2_800);
  });

  it('cuts long lines, and reads on in them', async () => {
    const { call } = await bench({ 'wide.txt': `short\n${'x'.repeat(4000)}yz\n` });
    const read = async (args: object) =>
      (await call('read_file', { path: 'wide.txt', ...args })).output;
    expect(await read({})).toBe(
      `1\tshort\n2\t${'x'.repeat(2000)}… (cut: the line has 4002 characters; continue with start_column 2001)`,
    );
    expect(await read({ start_line: 2, start_column: 4001 })).toBe('2\tyz');
    expect(await read({ start_column: 6 })).toMatch(/^1\t\n2\tx/);
  });

  it('reads a part of a file that is too large to be edited, and of one that is text only there', async () => {
    const { root, call } = await bench({});
    const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index + 1}\n`).join('');
    writeFileSync(join(root, 'large.log'), Buffer.concat([Buffer.from(lines), Buffer.of(0xe9)]));
    expect(
      (await call('read_file', { path: 'large.log', start_line: 299_999, end_line: 300_000 }))
        .output,
    ).toBe('299999\tline 299999\n300000\tline 300000\n(lines 299999 to 300000 of 300001)');
    await expect(call('read_file', { path: 'large.log', start_line: 300_001 })).rejects.toThrow(
      'another encoding',
    );
    truncateSync(join(root, 'large.log'), 16 * 2 ** 20 + 1);
    await expect(call('read_file', { path: 'large.log' })).rejects.toThrow('has 16777217 bytes');
  });

  it('says what is empty, and rejects what is not text', async () => {
    const { call } = await bench({
      empty: '',
      binary: Uint8Array.from([0x50, 0, 1]),
      latin1: Uint8Array.from([0xe9, 0x0a]),
    });
    expect((await call('read_file', { path: 'empty' })).output).toBe('The file is empty.');
    await expect(call('read_file', { path: 'binary' })).rejects.toThrow(
      '"binary" is not text in UTF-8: it is binary (3 bytes).',
    );
    await expect(call('read_file', { path: 'latin1' })).rejects.toThrow(
      '"latin1" is not text in UTF-8: it is in another encoding (2 bytes).',
    );
    await expect(call('read_file', { path: '../x' })).rejects.toBeInstanceOf(TellModel);
  });
});

describe('write_file', () => {
  it('says what it created or replaced, in lines and bytes', async () => {
    const { call, text } = await bench();
    const write = async (content: string) =>
      (await call('write_file', { path: 'a/b.txt', content })).output;
    expect(await write('é')).toBe('Created "a/b.txt": 1 line, 2 bytes.');
    expect(await write('one\ntwo\n')).toBe(
      'Replaced "a/b.txt": 2 lines, 8 bytes. Previously it had 1 line, 2 bytes.',
    );
    expect(await write('one\ntwo\n')).toBe(
      'Replaced "a/b.txt": 2 lines, 8 bytes. The content is the same as before: nothing changed.',
    );
    expect(await write('one\r\ntwo\r\n')).toBe(
      'Replaced "a/b.txt": 2 lines, 10 bytes. Previously it had 2 lines, 8 bytes. Its line ends changed from "\\n" to "\\r\\n".',
    );
    expect(await write('')).toBe(
      'Replaced "a/b.txt": 0 lines, 0 bytes. Previously it had 2 lines, 10 bytes.',
    );
    expect(await text('a/b.txt')).toBe('');
  });

  it('replaces what it cannot compare', async () => {
    const { root, call, text } = await bench({ logo: Uint8Array.from([0]), large: '' });
    truncateSync(join(root, 'large'), 2 ** 21);
    for (const path of ['logo', 'large']) {
      const { output } = await call('write_file', { path, content: 'x' });
      expect(output).toBe(
        `Replaced "${path}": 1 line, 1 byte. The previous content was not text, or too large to compare.`,
      );
      expect(await text(path)).toBe('x');
    }
  });

  it('rejects what it may not write, and what is too large', async () => {
    const { call } = await bench();
    for (const [path, content] of [
      ['.git/hooks/pre-commit', ''],
      ['a', 'x'.repeat(2 ** 20 + 1)],
    ])
      await expect(call('write_file', { path, content })).rejects.toBeInstanceOf(TellModel);
  });
});

describe('list_directory', () => {
  it('lists the root and a directory, by its own name and its alias', async () => {
    const { call } = await bench({ 'src/a.ts': '123', 'b.md': '' });
    expect((await call('list_directory')).output).toBe('b.md (0 bytes)\nsrc/');
    expect((await call('list_files', { path: 'src' })).output).toBe('a.ts (3 bytes)');
    await expect(call('list_directory', { path: 'b.md' })).rejects.toBeInstanceOf(TellModel);
  });

  it('leaves out what .gitignore names, unless that is what was asked for', async () => {
    const { call } = await bench({ '.gitignore': '/dist\n*.log\n', 'dist/a.js': '', 'x.log': '' });
    expect((await call('list_directory')).output).toBe(
      '.gitignore (12 bytes)\n(left out: 2 that .gitignore ignores)',
    );
    expect((await call('list_directory', { path: 'dist' })).output).toBe('a.js (0 bytes)');
  });

  it('lists many entries in parts, each with how to continue', async () => {
    const { root, call } = await bench();
    for (let index = 0; index < 1100; index += 1) writeFileSync(join(root, `f${index}`), '');
    const list = async (args: object) => (await call('list_directory', args)).output.split('\n');
    const first = await list({});
    expect(first).toHaveLength(501);
    expect(first.at(-1)).toBe('(entries 1 to 500 of 1100; continue with start 501)');
    expect(await list({ start: 1001 })).toHaveLength(100);
    await expect(list({ start: 1101 })).rejects.toThrow('"." has only 1100 entries.');
  });

  it('shows names as one line each, and what is empty', async () => {
    const { root, call } = await bench({ 'a\nb': '' });
    symlinkSync('nowhere', join(root, 'link'));
    mkdirSync(join(root, 'empty'));
    expect((await call('list_directory')).output).toBe('"a\\nb" (0 bytes)\nempty/\nlink (symlink)');
    expect((await call('list_directory', { path: 'empty' })).output).toBe(
      'The directory is empty.',
    );
  });
});

describe('a path with signs that nobody sees', () => {
  const PATH = 'src/gpj\u202etxt.ts';
  const SHOWN = String.raw`\u202e`;

  it.each<[tool: string, args: object]>([
    ['list_directory', { path: 'src' }],
    ['find_files', { pattern: '*.ts' }],
    ['grep_search', { pattern: 'needle' }],
    ['search_codebase', { query: 'needle' }],
    ['retrieve_context_files', { paths: [PATH] }],
    ['git_status', {}],
  ])('is shown with them by %s', async (tool, args) => {
    const { call, root } = await bench({ 'src/b.ts': 'x\n' });
    writeFileSync(join(root, PATH), 'needle\n');
    const { output } = await call(tool, args);
    expect(output).toContain(SHOWN);
    expect(output).not.toContain('\u202e');
  });

  it('is shown with them to people', () => {
    expect(code(PATH)).toContain(SHOWN);
    expect(readFileTool.title({ path: PATH })).toContain(SHOWN);
  });
});

describe('a write that no commit takes', () => {
  it.each<[tool: string, args: object, path: string]>([
    ['write_file', { path: 'dist/a.js', content: 'x' }, 'dist/a.js'],
    ['write_file', { path: 'deep/x.log', content: 'x' }, 'deep/x.log'],
    ['edit_file', { path: 'old.log', old_text: 'x', new_text: 'y' }, 'old.log'],
    ['delete_file', { path: 'old.log' }, 'old.log'],
    ['rename_file', { path: 'src', new_path: 'dist/src' }, 'dist/src/a.ts'],
    ['rename_files', { renames: [{ path: 'src/a.ts', new_path: 'a.log' }] }, 'a.log'],
  ])('is told by %s with %j', async (tool, args, path) => {
    const seed = { '.gitignore': 'dist/\n*.log\n', 'old.log': 'x\n', 'src/a.ts': 'x\n' };
    const { call } = await bench(seed);
    const { output } = await call(tool, args);
    expect(output).toContain(`No commit includes "${path}": .gitignore ignores it.`);
  });

  it('is none of a path that is not ignored, or tracked', async () => {
    const { call } = await bench({ '.gitignore': 'dist/*\n!dist/keep.js\n' });
    const { output } = await call('write_file', { path: 'dist/keep.js', content: 'x' });
    expect(output).not.toContain('No commit');
  });
});

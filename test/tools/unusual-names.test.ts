import { mkdirSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bench, type Bench } from './support.ts';

/** Writes files whose paths are latin1: each character is one byte. */
function place(root: string, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    const parent = Buffer.from(`${root}/${path.split('/').slice(0, -1).join('/')}`, 'latin1');
    mkdirSync(parent, { recursive: true });
    writeFileSync(Buffer.from(`${root}/${path}`, 'latin1'), content);
  }
}

async function withLatin1(): Promise<Bench> {
  const made = await bench({ 'plain.md': 'token plain\n', '.gitignore': '*.log\n' });
  place(made.root, {
    'caf\xe9.txt': 'token one\n',
    'dir\xff/inner.txt': 'token two\n',
    'dir\xff/\xe9.log': 'token three\n',
  });
  return made;
}

describe('a name that is not UTF-8', () => {
  it('is listed as git quotes it, and opened by that', async () => {
    const { call } = await withLatin1();
    const listed = (await call('list_directory')).output;
    expect(listed.split('\n')).toEqual([
      '.gitignore (6 bytes)',
      '"caf\\351.txt" (10 bytes)',
      '"dir\\377"/',
      'plain.md (12 bytes)',
    ]);
    for (const path of ['"caf\\351.txt"', 'caf\\351.txt'])
      expect((await call('read_file', { path })).output).toBe('1\ttoken one');
    expect((await call('list_directory', { path: '"dir\\377"' })).output).toContain('inner.txt');
    const inner = await call('read_file', { path: '"dir\\377/inner.txt"' });
    expect(inner.output).toBe('1\ttoken two');
  });

  it('is found and searched like any other', async () => {
    const { call } = await withLatin1();
    const found = (await call('find_files', { pattern: '*.txt' })).output.split('\n');
    expect(found.toSorted()).toEqual(['"caf\\351.txt"', '"dir\\377/inner.txt"']);
    const files = (await call('grep_search', { pattern: 'token' })).output.split('\n\n');
    expect(files.toSorted()).toEqual([
      '"caf\\351.txt"\n1: token one',
      '"dir\\377/inner.txt"\n1: token two',
      'plain.md\n1: token plain',
    ]);
    const one = await call('grep_search', { pattern: 'token', path: '"dir\\377"' });
    expect(one.output).toBe('"dir\\377/inner.txt"\n1: token two');
    const asked = await call('search_codebase', { query: 'token' });
    expect(asked.output).toContain('"caf\\351.txt"');
    const newest = await call('find_files', { pattern: '*', sort: 'newest' });
    expect(newest.output).toContain('"caf\\351.txt"');
  });

  it('is not written, and the result says that commits keep it', async () => {
    const { call } = await withLatin1();
    const path = '"caf\\351.txt"';
    for (const [tool, args] of [
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_text: 'one', new_text: 'two' }],
      ['delete_file', { path }],
      ['rename_file', { old_path: path, new_path: 'cafe.txt' }],
    ] as const)
      await expect(call(tool, args)).rejects.toThrow(
        'The path "caf\\351.txt" is not UTF-8: its file can be read, and not changed here. Commits keep it as it is.',
      );
  });

  it('is named in that form if nothing has it', async () => {
    const { call } = await bench();
    await expect(call('read_file', { path: '"x\\351"' })).rejects.toThrow('does not exist');
    const { call: other } = await bench({ 'é.md': 'text\n' });
    expect((await other('read_file', { path: '"\\303\\251.md"' })).output).toBe('1\ttext');
  });
});

describe('a path that nothing has', () => {
  it.each([
    ['readme.md', 'There is "README.md".'],
    ['SRC/Main.ts', 'There is "src/main.ts".'],
    ['src/ｍain.ts', 'There is "src/main.ts".'],
    ['docs/caf\u00e9.md', 'There is "docs/cafe\\u0301.md".'],
    ['docs/A\u030angstrom.md', 'There is "docs/\\u00c5ngstrom.md".'],
  ])('%s is told what has nearly its name', async (path, hint) => {
    const { call } = await bench({
      'README.md': '',
      'src/main.ts': '',
      'docs/cafe\u0301.md': '',
      'docs/\u00c5ngstrom.md': '',
    });
    for (const [tool, args] of [
      ['read_file', { path }],
      ['delete_file', { path }],
      ['edit_file', { path, old_text: 'a', new_text: 'b' }],
      ['rename_file', { old_path: path, new_path: 'other' }],
      ['grep_search', { pattern: 'x', path }],
      ['list_directory', { path }],
    ] as const)
      await expect(call(tool, args)).rejects.toThrow(hint);
  });

  it('is told of a directory of nearly the name on its way, and of nothing else', async () => {
    const { call } = await bench({ 'src/main.ts': '' });
    await expect(call('read_file', { path: 'Src/other.ts' })).rejects.toThrow(
      'There is the directory "src".',
    );
    await expect(call('read_file', { path: 'src/other.ts' })).rejects.toThrow(
      /does not exist\. Beside it: main\.ts\.$/,
    );
  });

  it('is made with a remark if another file has nearly its name', async () => {
    const { call } = await bench({ 'README.md': '', 'src/main.ts': '' });
    const write = async (path: string) => (await call('write_file', { path, content: 'x' })).output;
    expect(await write('readme.md')).toContain(
      'Beside it there is "README.md", and many systems cannot hold both names: keep only one.',
    );
    expect(await write('Src/new.ts')).toContain('Beside it there is the directory "src"');
    expect(await write('readme.md')).not.toContain('Beside it');
    expect(await write('src/new.ts')).not.toContain('Beside it');
  });
});

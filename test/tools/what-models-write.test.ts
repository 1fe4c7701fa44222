import { describe, expect, it } from '@jest/globals';
import { INSIDE } from '../../packages/sandbox/src/inside/environment.ts';
import { bench } from './support.ts';

const LINES = 'one\ntwo\nthree\nfour\n';

describe('tools accept what models write', () => {
  it.each(['filename', 'file_path', 'file', 'filepath', 'file_name', 'target_file'])(
    'names the file as %s',
    async (name) => {
      const { call, text } = await bench({ 'a.txt': LINES });
      expect((await call('read_file', { [name]: 'a.txt', start_line: 4 })).output).toBe('4\tfour');
      await call('edit_file', { [name]: 'a.txt', old_str: 'one', new_str: '1' });
      expect(await text('a.txt')).toMatch(/^1\n/);
      await call('write_file', { [name]: 'a.txt', contents: 'new\n' });
      expect(await text('a.txt')).toBe('new\n');
      await call('delete_file', { [name]: 'a.txt' });
      await expect(text('a.txt')).rejects.toThrow('does not exist');
    },
  );

  it.each([
    [{ offset: 2, limit: 2 }, '2\ttwo\n3\tthree\n(lines 2 to 3 of 4)'],
    [{ offset: '3', limit: '9' }, '3\tthree\n4\tfour'],
    [{ offset: 0, limit: 1 }, '1\tone\n(lines 1 to 1 of 4)'],
    [{ limit: 3, end_line: 1 }, '1\tone\n(lines 1 to 1 of 4)'],
  ])('reads a part of a file: %j', async (range, expected) => {
    const { call } = await bench({ 'a.txt': LINES });
    expect((await call('read_file', { path: 'a.txt', ...range })).output).toBe(expected);
  });

  it('limits what a search returns', async () => {
    const { call } = await bench({ 'a.txt': LINES, 'b.txt': LINES });
    const grep = await call('grep_search', { pattern: 'T', limit: 1, case_insensitive: 'true' });
    expect(grep.output).toMatch(/^.*two\n\(the first 1 matches; .*\)$/s);
    const ranked = await call('search_codebase', { query: 'two', limit: '1' });
    expect(ranked.output).toMatch(/^[ab]\.txt\n(?!.*\.txt)/s);
    const listed = await call('list_directory', { limit: 1 });
    expect(listed.output).toMatch(/^a\.txt .*\n\(entries 1 to 1 of 2; continue with start 2\)$/);
  });

  it('names files as commands do, below the directory of the sandbox', async () => {
    const { call, text } = await bench({ 'src/a.txt': LINES });
    const at = (path: string): string => `${INSIDE.workspace}/${path}`;
    expect((await call('list_directory', { path: INSIDE.workspace })).output).toBe('src/');
    expect((await call('list_directory', { path: at('') })).output).toBe('src/');
    expect((await call('read_file', { path: at('src/a.txt') })).output).toContain('2\ttwo');
    const found = await call('grep_search', { pattern: 'two', path: at('src') });
    expect(found.output).toContain('two');
    await call('edit_file', { path: at('src/a.txt'), old_text: 'two', new_text: '2' });
    expect((await call('write_file', { path: at('b.txt'), content: '' })).output).toContain(
      'Created "b.txt"',
    );
    await call('rename_file', { path: at('b.txt'), new_path: at('c.txt') });
    expect((await call('bash', { command: 'ls', cwd: at('src') })).output).toContain('a.txt');
    expect(await text('src/a.txt')).toBe('one\n2\nthree\nfour\n');
    expect(await text('c.txt')).toBe('');
  });

  it('still rejects other absolute paths', async () => {
    const { call } = await bench({ 'a.txt': LINES });
    for (const path of ['/a.txt', '/workspaces/a.txt', '/etc/passwd'])
      await expect(call('read_file', { path })).rejects.toThrow('is not relative');
    await expect(call('read_file', { path: '/workspace/../etc' })).rejects.toThrow('".."');
  });
});

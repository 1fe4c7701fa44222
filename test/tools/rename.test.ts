import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { bench } from './support.ts';
import { filesBelow } from '../support/files-below.ts';

describe('rename_file', () => {
  it.each([
    { path: 'docs/EXAMPLE.md', new_path: 'somewhere/else/NEW_EXAMPLE.md' },
    { old_path: 'docs/EXAMPLE.md', new_path: 'somewhere/else/NEW_EXAMPLE.md' },
    { from: 'docs/EXAMPLE.md', to: 'somewhere/else/NEW_EXAMPLE.md' },
    { source: './docs/EXAMPLE.md', destination: 'somewhere/else/NEW_EXAMPLE.md' },
  ])('moves a file, however its arguments are called: %j', async (args) => {
    const { root, call, text } = await bench({ 'docs/EXAMPLE.md': 'x' });
    const { output } = await call('rename_file', args);
    expect(output).toMatch(
      /^Renamed "(\.\/)?docs\/EXAMPLE\.md" to "somewhere\/else\/NEW_EXAMPLE\.md"\.$/,
    );
    expect(await text('somewhere/else/NEW_EXAMPLE.md')).toBe('x');
    expect(existsSync(join(root, 'docs'))).toBe(false);
  });

  it('moves a directory, and says how many files that were', async () => {
    const { call, text } = await bench({ 'src/a': '1', 'src/b/c': '2' });
    expect((await call('move_file', { path: 'src', new_path: 'lib' })).output).toBe(
      'Renamed "src" to "lib": 2 files.',
    );
    expect(await text('lib/b/c')).toBe('2');
  });

  it('replaces nothing, and says what to do instead', async () => {
    const { call, text } = await bench({ a: '1', 'b/c': '2' });
    for (const new_path of ['b', 'b/c'])
      await expect(call('rename_file', { path: 'a', new_path })).rejects.toThrow(
        `"${new_path}" already exists and is not overwritten. Give another path (including the file name), or delete it first.`,
      );
    await expect(call('rename_file', { path: 'a' })).rejects.toBeInstanceOf(TellModel);
    expect(await text('a')).toBe('1');
  });
});

describe('rename_files', () => {
  it('moves several at once, however its arguments are called', async () => {
    const { call, text } = await bench({ a: '1', b: '2', c: '3' });
    const renames = [
      { path: 'a', new_path: 'b' },
      { old_path: 'b', new_path: 'a' },
      { from: 'c', to: 'd/c' },
    ];
    expect((await call('rename_files', { renames })).output).toBe('Renamed 3 files.');
    expect([await text('a'), await text('b'), await text('d/c')]).toEqual(['2', '1', '3']);
    await call('move_files', { files: { path: 'a', new_path: 'e' } });
    expect(await text('e')).toBe('2');
  });

  it('moves none if one cannot be moved', async () => {
    const { call, files } = await bench({ a: '1', b: '2' });
    const renames = [
      { path: 'a', new_path: 'x' },
      { path: 'b', new_path: '../b' },
    ];
    await expect(call('rename_files', { renames })).rejects.toThrow('contains ".."');
    expect(await filesBelow(files)).toEqual(['a', 'b']);
    await expect(call('rename_files', { renames: [] })).rejects.toBeInstanceOf(TellModel);
    await expect(call('rename_files', { renames: [['a', 'b']] })).rejects.toBeInstanceOf(TellModel);
  });
});

import { describe, expect, it } from '@jest/globals';
import { bench } from './support.ts';
import { filesBelow } from '../support/files-below.ts';

describe('delete_file', () => {
  it('deletes a file', async () => {
    const { call, files } = await bench({ 'a/b': '1', c: '2' });
    expect((await call('delete_file', { path: 'a/b' })).output).toBe('Deleted "a/b".');
    expect((await files.list('')).map(({ name }) => name)).toEqual(['c']);
  });

  it('says what it does not delete', async () => {
    const { call, files } = await bench({ 'a/b': '1', CODEOWNERS: '* @octo-maintainer' });
    await expect(call('delete_file', { path: 'a' })).rejects.toThrow(
      '"a" is a directory. Delete its files one by one.',
    );
    await expect(call('remove_file', { path: 'a/c' })).rejects.toThrow('does not exist');
    await expect(call('delete_file', { path: 'CODEOWNERS' })).rejects.toThrow('only people change');
    expect(await filesBelow(files)).toEqual(['CODEOWNERS', 'a/b']);
  });
});

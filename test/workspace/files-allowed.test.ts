import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesBelow } from '../support/files-below.ts';

function open(allow: readonly string[]): WorkspaceFiles {
  const root = temporaryDirectory();
  for (const path of ['src/deep/a.ts', 'docs/b.md', 'README.md', 'docs/README.md']) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  return new WorkspaceFiles(root, undefined, { allow, deny: ['*.pem'] });
}

const empty = Buffer.from('');

describe('files of a repository that lets only some be written', () => {
  it.each<[glob: string, written: string[], rejected: string[]]>([
    ['src/**', ['src/new.ts', 'src/deep/a.ts'], ['docs/b.md', 'srcs/a', 'new.ts']],
    ['src', ['src/new.ts', 'src/deep/a.ts', 'lib/src/a'], ['docs/b.md', 'srcs/a']],
    ['docs/', ['docs/b.md', 'docs/deep/c'], ['src/new.ts']],
    ['*.{md,txt}', ['docs/b.md', 'README.md', 'a/b/c.txt'], ['src/deep/a.ts']],
    ['/README.md', ['README.md'], ['docs/README.md']],
    ['docs/*/c', ['docs/a/c/d', 'docs/b/c'], ['docs/c', 'docs/a/b/c']],
    ['**', ['README.md', 'a/b'], ['a.pem']],
    ['src', ['src/a'], ['SRC/a', 'src/a.pem']],
  ])('are written below %s, and nowhere else', async (glob, written, rejected) => {
    const files = open([glob]);
    for (const path of written) await files.write(path, empty);
    for (const path of rejected) {
      await expect(files.write(path, empty)).rejects.toThrow('settings of this repository');
      await expect(files.delete(path)).rejects.toThrow('settings of this repository');
    }
  });

  it('are read everywhere', async () => {
    const files = open(['src/**']);
    expect(Buffer.from(await files.read('docs/b.md')).toString()).toBe('docs/b.md');
    expect(await filesBelow(files)).toContain('README.md');
  });

  it('are moved only between writable places', async () => {
    const files = open(['src/**']);
    for (const [from, to] of [
      ['src/deep', 'docs/deep'],
      ['docs', 'src/docs'],
    ] as const)
      await expect(files.rename([{ from, to }])).rejects.toThrow('cannot be written');
    await files.rename([{ from: 'src/deep', to: 'src/flat' }]);
    expect(await filesBelow(files, 'src')).toEqual(['src/flat/a.ts']);
  });

  it('are rejected with what may be written', async () => {
    await expect(open(['src/**', 'docs/']).write('a', empty)).rejects.toThrow(
      'The path "a" cannot be written: the settings of this repository let "src/**", "docs/" be written, and nothing else.',
    );
    await expect(open([]).write('a', empty)).rejects.toThrow('let no file be written');
    const many = Array.from({ length: 9 }, (_, index) => `d${index}`);
    await expect(open(many).write('a', empty)).rejects.toThrow('"d4", 4 more be written');
  });
});

// What git reads to merge, told by the directories.
import { describe, expect, it } from '@jest/globals';
import { TellPerson } from '../../../../src/lib/errors.ts';
import { filesToRead, type Changes } from '../../../../src/workspace/git/sparse/sparse-merge.ts';
import { expectLinearWork } from '../../../support/growth.ts';

const file = (id: number) => ({ mode: '100644', oid: id.toString(16).padStart(40, '0') });
const deleted = (paths: readonly string[]): Changes =>
  new Map(paths.map((path, at) => [path, { before: file(at) }]));
const added = (paths: readonly string[]): Changes =>
  new Map(paths.map((path, at) => [path, { after: file(1_000_000 + at) }]));
const files = (count: number, directory: string, name: string) =>
  Array.from({ length: count }, (_, at) => `${directory}/${name}${at}`);

describe('the files that git reads', () => {
  it('are those of a directory that one side removed and the other added to, however deep', async () => {
    const ours = new Map([
      ...deleted(['old/deep/a.txt', 'other/b.txt']),
      ...added(['new/deep/a.txt']),
    ]);
    const sides = { ours, theirs: added(['old/c.txt']) };
    const read = await filesToRead(sides, async (side) => (side === 'ours' ? ['old'] : []));
    expect(read.map(({ path }) => path)).toEqual(['old/deep/a.txt', 'new/deep/a.txt']);
  });

  it('are found at once, although thousands are below a chain of thousands of directories', async () => {
    await expectLinearWork(async (depth) => {
      const chain = Array.from({ length: depth }, () => 'd').join('/');
      const sides = {
        ours: new Map([...deleted(files(4_000, chain, 'old')), ...added(files(4_000, 'e', 'new'))]),
        theirs: added(files(4_000, chain, 'added')),
      };
      let asked: readonly string[] = [];
      const read = await filesToRead(sides, async (_side, directories) => (asked = directories));
      expect(asked).toHaveLength(depth);
      expect(read).toHaveLength(8_000);
    }, 2_000);
  });

  it('are not looked for in millions of directories', async () => {
    const chains = Array.from({ length: 20 }, (_, at) => `${at}${'/d'.repeat(2_000)}/file`);
    const sides = { ours: deleted(chains), theirs: added(chains.map((path) => `${path}-2`)) };
    await expect(filesToRead(sides, async () => [])).rejects.toThrow(TellPerson);
  });
});

import { expect, it } from '@jest/globals';
import { pathsOf } from '../../../src/workspace/git/base-tree.ts';

it('tells other threads the object id of each file, in order', () => {
  const files = ['b.ts', 'a/b.ts', 'c'].map(
    (path, at) => [path, { mode: '100644', oid: `${at + 1}f`.repeat(20) }] as const,
  );
  const none: ReadonlySet<string> = new Set();
  const base = { commit: '', tree: '', submodules: none, undecodable: none, outside: none };
  const { files: paths, oids } = pathsOf({ ...base, isWhole: true, files: new Map(files) });
  expect(paths).toEqual(['b.ts', 'a/b.ts', 'c']);
  expect(Buffer.from(oids).toString('hex')).toBe(
    '1f'.repeat(20) + '2f'.repeat(20) + '3f'.repeat(20),
  );
});

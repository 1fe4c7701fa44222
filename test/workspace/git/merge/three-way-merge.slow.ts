import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mergeTrees } from '../../../../src/workspace/git/merge/three-way-merge.ts';
import { nativeGit } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { divergences, writeDivergences } from './generated-merges.ts';
import { merge, unmerged, unmergedIn } from './native-merge.ts';

const { signal } = new AbortController();

describe('a merge', () => {
  const CASES = divergences(60);
  let checkout: string;
  let place: { gitdir: string; tree: string; signal: AbortSignal };

  beforeAll(() => {
    checkout = join(temporaryDirectory(), 'checkout');
    writeDivergences(checkout, CASES);
    const gitdir = join(temporaryDirectory(), 'bare');
    nativeGit(checkout, 'clone', '-q', '--bare', '--shared', '.', gitdir);
    place = { gitdir, tree: checkout, signal };
  });

  const commitOf = (branch: string) =>
    readFileSync(join(checkout, '.git/refs/heads', branch), 'latin1').trim();

  it('ends as `git merge` ends, tree for tree, or with conflicts at the same paths', async () => {
    const ends = { clean: 0, conflicts: 0 };
    for (const at of CASES.keys()) {
      nativeGit(checkout, 'checkout', '-q', '-f', '--detach', `ours-${at}`);
      const sides = { ours: commitOf(`ours-${at}`), theirs: commitOf(`theirs-${at}`) };
      const merged = await mergeTrees(place, sides, `theirs-${at}`);
      const isClean = merge(checkout, `theirs-${at}`);
      ends[isClean ? 'clean' : 'conflicts'] += 1;
      const tree = isClean ? nativeGit(checkout, 'rev-parse', 'HEAD^{tree}') : 'none';
      expect({ at, ...unmergedIn(merged) }).toEqual({ at, tree, unmerged: unmerged(checkout) });
      for (const { path } of merged.conflicts)
        expect({ at, path, isSame: isSame(merged.tree, path) }).toEqual({ at, path, isSame: true });
      nativeGit(checkout, 'reset', '-q', '--hard');
      nativeGit(checkout, 'clean', '-qfd');
    }
    expect(ends.clean).toBeGreaterThan(15);
    expect(ends.conflicts).toBeGreaterThan(15);
  });

  /** The file with its markers is the one that `git merge` leaves. */
  function isSame(tree: string, path: string): boolean {
    const isFile = statSync(join(checkout, path), { throwIfNoEntry: false })?.isFile() === true;
    const entry = nativeGit(place.gitdir, 'ls-tree', tree, path);
    if (!isFile || !entry.startsWith('100')) return true;
    return entry.includes(nativeGit(checkout, 'hash-object', '--no-filters', path));
  }
});

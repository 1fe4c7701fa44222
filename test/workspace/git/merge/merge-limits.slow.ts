// Histories that are made so that a merge of them never ends: it does, and people are told why.
import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { askGitWith } from '../../../../src/workspace/git/engines/native/native-git.ts';
import { withinMergeLimits } from '../../../../src/workspace/git/merge/three-way-merge.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { expectLinearWork } from '../../../support/growth.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, BRANCH, open } from '../../support.ts';
import { refusalOf } from '../engines.ts';

const range = (from: number, length: number): number[] =>
  Array.from({ length }, (_, at) => from + at);

/** A commit, `at` its mark, with the files that its first parent has, and these. Parents are marks. */
const commit = (
  at: number,
  parents: readonly number[],
  { ref = 'refs/heads/made', files = [at] } = {},
): string =>
  [
    `commit ${ref}`,
    `mark :${at}`,
    `committer t <t@example.test> ${at} +0000`,
    'data 1',
    'm',
    ...parents.map((parent, first) => `${first === 0 ? 'from' : 'merge'} :${parent}`),
    ...files.map((name) => `M 100644 inline billing/${name}.txt\ndata 2\nx`),
    '',
  ].join('\n');

/** Two sides, each of which merged the same commits. */
function manyBases(count: number): string {
  const bases = range(2, count);
  const side = (at: number, branch: string): string =>
    commit(at, bases, { ref: `refs/heads/${branch}`, files: [...bases, at] });
  return [
    commit(1, []),
    ...bases.map((base) => commit(base, [1])),
    side(count + 2, 'main'),
    side(count + 3, BRANCH),
  ].join('');
}

/** Each of its merges has merge bases of its own, and so on: git makes twice as many merges for each level. */
function ladder(levels: number, width = 3): string {
  const made = [commit(1, [])];
  let above = [1];
  for (let level = 0; level < levels; level += 1) {
    const next = range((above.at(-1) ?? 1) + 1, width);
    made.push(...next.map((at) => commit(at, above)));
    above = next;
  }
  const [ours, theirs] = above;
  return [
    ...made,
    `reset refs/heads/main\nfrom :${theirs}\n`,
    `reset refs/heads/${BRANCH}\nfrom :${ours}\n`,
  ].join('');
}

const write = (gitdir: string, history: string): void => {
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: gitdir, input: history });
};

let server: GitServer;
let workspace: Workspace | undefined;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
afterEach(async () => {
  await workspace?.close();
  workspace = undefined;
});

const sidesOf = (repository: TestRepository) => ({
  baseCommit: repository.head(BRANCH),
  merge: { theirs: repository.head(), branch: 'main' },
});

async function merging(
  repository: TestRepository,
  sparse?: readonly string[],
  sides = sidesOf(repository),
) {
  workspace = await open(server, repository, { ...sides, sparse });
  return workspace;
}

describe.each([
  ['a whole workspace', undefined],
  ['a part', ['billing']],
])('a merge in %s', (what, sparse) => {
  const repositoryOf = (name: string, history: string): TestRepository => {
    const repository = server.createRepository(`octo/${name}-${what.length}`, {});
    write(repository.directory, history);
    return repository;
  };

  it('of histories with thousands of merge bases is refused, after little work', async () => {
    let made = 0;
    await expectLinearWork(async (bases) => {
      const repository = repositoryOf(`many-${(made += 1)}`, manyBases(bases));
      const sides = sidesOf(repository);
      expect(await refusalOf(merging(repository, sparse, sides))).toMatch(
        /merge the base branch: it has too many merge bases with the branch\. .* merge it yourself/,
      );
    }, 4_096);
  });

  it('of histories with as many as real ones have ends as `git merge` ends', async () => {
    const repository = repositoryOf('few', manyBases(20));
    const { merge, git } = await merging(repository, sparse);
    expect(merge?.result).toBe('clean');
    const sides = [repository.head(BRANCH), repository.head()] as const;
    await git.commit({ message: 'Merge', at: AT });
    expect(repository.git('rev-parse', `${BRANCH}^{tree}`)).toBe(
      repository.git('merge-tree', '--write-tree', ...sides),
    );
  });
});

it('a merge that takes git too long is refused, and no process of it stays', async () => {
  const gitdir = temporaryDirectory();
  nativeGit(gitdir, 'init', '-q', '--bare', '--template=', '.');
  write(gitdir, ladder(18));
  const place = { gitdir, tree: temporaryDirectory(), signal: new AbortController().signal };
  const words = ['merge-tree', '--write-tree', BRANCH, 'main'];
  const said = await refusalOf(withinMergeLimits(askGitWith(place, { timeoutMs: 1_000 }, words)));
  expect(said).toMatch(
    /merge the base branch: git would need more than 1 seconds for it\. .* merge it yourself and push/,
  );
});

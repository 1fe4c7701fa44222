// A commit whose workflow files are not those of the base branch any more, on a local GitHub that denies it then.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { FileChanges } from '../../../../packages/local-github/src/github/git/repository.ts';
import type { Repository } from '../../../../packages/local-github/src/github/state.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { AT, BRANCH, text } from '../../support.ts';
import { bare, isVerified, VerifiedScene, type SceneWorkspace } from './verified-scene.ts';

const CI = '.github/workflows/ci.yml';
const FILES = {
  [CI]: 'version: 0\n',
  'README.md': '# Words\n',
  'src/a.ts': 'a\n',
  'src/b.ts': 'b\n',
  'docs/guide.md': 'guide\n',
};

let scene: VerifiedScene;
let repository: Repository;
let version = 0;
beforeAll(async () => (scene = await VerifiedScene.open()));
afterAll(() => scene.close());
beforeEach(async () => (repository = await scene.repository(FILES)));

const change = (more: FileChanges = {}, branch = 'main') =>
  scene.github.as('maintainer').push(repository, {
    branch,
    message: 'Update CI',
    files: { [CI]: `version: ${(version += 1)}\n`, ...more },
  });

const at = (ref: string): string => bare(repository, 'rev-parse', ref);
const listed = (...args: string[]): string[] => bare(repository, ...args).split('\n');
const parents = (): string[] => bare(repository, 'log', '-1', '--format=%P', BRANCH).split(' ');

async function inWorkspace<T>(
  options: SceneWorkspace,
  act: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const newestBase = async () => ({ onto: at('main'), isFirst: true });
  const workspace = await scene.workspace(repository, BRANCH, { newestBase, ...options });
  try {
    return await act(workspace);
  } finally {
    await workspace.close();
  }
}

const commit = ({ git }: Workspace, only?: readonly string[]) =>
  git.commit({ message: 'Change words', at: AT, only });

describe('a first commit', () => {
  it.each(['auto', 'push'] as const)(
    'has all that happened on the base branch, also in the mode %s',
    async (strategy) => {
      await inWorkspace({ strategy }, async (workspace) => {
        await workspace.files.write('src/a.ts', text('ours\n'));
        await workspace.files.write('src/new/c.ts', text('ours\n'));
        await change({ 'src/b.ts': 'theirs\n', 'docs/guide.md': null, 'docs/more.md': 'more\n' });
        const done = await commit(workspace);
        expect(done).toMatchObject({
          sha: at(BRANCH),
          files: [
            { path: 'src/a.ts', status: 'modified' },
            { path: 'src/new/c.ts', status: 'added' },
          ],
          caughtUp: { onto: at('main'), isMoved: true, files: 4 },
        });
        expect(workspace.isOutdated()).toBe(true);
      });
      expect(parents()).toEqual([at('main')]);
      expect(listed('diff', '--name-status', 'main', BRANCH)).toEqual([
        'M\tsrc/a.ts',
        'A\tsrc/new/c.ts',
      ]);
      expect(isVerified(repository, BRANCH)).toBe(strategy === 'auto');
      expect(bare(repository, 'fsck', '--strict', '--no-dangling')).toBe('');
    },
  );

  it('is made again if the base branch moves on meanwhile', async () => {
    let looks = 0;
    const newestBase = async () => {
      const onto = at('main');
      looks += 1;
      if (looks < 3) await change();
      return { onto, isFirst: true };
    };
    await inWorkspace({ newestBase }, async (workspace) => {
      await workspace.files.write('src/a.ts', text('ours\n'));
      await change();
      await commit(workspace);
    });
    expect(looks).toBe(3);
    expect(parents()).toEqual([at('main')]);
    expect(listed('diff', '--name-only', 'main', BRANCH)).toEqual(['src/a.ts']);
  });

  it.each<[string, FileChanges]>([
    ['the same file', { 'src/a.ts': 'theirs\n' }],
    ['a file that it leaves out', { 'README.md': 'theirs\n' }],
    ['a file in the place of a directory', { 'src/a.ts': null, 'src/b.ts': null, src: 'theirs\n' }],
  ])('has only the workflow files if the base branch changed %s', async (_what, theirs) => {
    const before = at('main');
    await inWorkspace({}, async (workspace) => {
      await workspace.files.write('src/a.ts', text('ours\n'));
      await workspace.files.write('README.md', text('ours\n'));
      await change({ ...theirs, '.github/workflows/new.yml': 'new\n', 'docs/guide.md': null });
      const done = await commit(workspace, ['src/a.ts']);
      expect(done?.caughtUp).toEqual({ onto: at('main'), isMoved: false, files: 2 });
    });
    expect(parents()).toEqual([before]);
    expect(listed('diff', '--name-only', before, BRANCH)).toEqual([
      CI,
      '.github/workflows/new.yml',
      'src/a.ts',
    ]);
    expect(bare(repository, 'diff', 'main', BRANCH, '--', '.github')).toBe('');
    expect(isVerified(repository, BRANCH)).toBe(true);
  });

  it('has what happened outside of a sparse work tree too', async () => {
    await inWorkspace({ sparse: ['src'] }, async (workspace) => {
      await workspace.files.write('src/a.ts', text('ours\n'));
      await change({ 'src/b.ts': 'theirs\n', 'docs/guide.md': 'theirs\n' });
      expect((await commit(workspace))?.caughtUp?.isMoved).toBe(true);
    });
    expect(parents()).toEqual([at('main')]);
    expect(listed('diff', '--name-only', 'main', BRANCH)).toEqual(['src/a.ts']);
    expect(bare(repository, 'fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('takes it for its own if both sides made the same of a file', async () => {
    await inWorkspace({}, async (workspace) => {
      await workspace.files.write('src/a.ts', text('alike\n'));
      await workspace.files.write('src/b.ts', text('ours\n'));
      await change({ 'src/a.ts': 'alike\n' });
      expect((await commit(workspace))?.caughtUp?.isMoved).toBe(true);
    });
    expect(listed('diff', '--name-only', 'main', BRANCH)).toEqual(['src/b.ts']);
  });

  it('is found by an attempt that was cut off after it was published', async () => {
    const before = at('main');
    const attempt = async (baseCommit: string) =>
      inWorkspace({ baseCommit }, async (workspace) => {
        await workspace.files.write('src/a.ts', text('ours\n'));
        return commit(workspace);
      });
    await change();
    const done = await attempt(before);
    await change();
    expect(await attempt(before)).toEqual(done);
    expect(at(BRANCH)).toBe(done?.sha);
  });

  it('is denied if no branch has its workflow files, nor the base branch others', async () => {
    const orphan = bare(repository, 'commit-tree', '-m', 'Old', `${at('main')}^{tree}`);
    bare(repository, 'update-ref', 'refs/pull/1/head', orphan);
    await change();
    const newestBase = async () => ({ onto: orphan, isFirst: true });
    await inWorkspace({ newestBase, baseCommit: orphan }, async (workspace) => {
      await workspace.files.write('src/a.ts', text('ours\n'));
      await expect(commit(workspace)).rejects.toThrow(
        /only if another branch has the same ones.*Resource not accessible by integration/s,
      );
    });
  });
});

describe('a commit on a head that has to stay its parent', () => {
  it('has the workflow files of the base branch beside its own change', async () => {
    const head = await scene.github
      .as('maintainer')
      .push(repository, { branch: 'theirs', message: 'Theirs', files: { 'src/b.ts': 'theirs\n' } });
    bare(repository, 'update-ref', 'refs/pull/1/head', head);
    bare(repository, 'update-ref', '-d', 'refs/heads/theirs');
    await change({ 'src/a.ts': 'newer\n' });
    const newestBase = async () => ({ onto: at('main'), isFirst: false });
    await inWorkspace({ newestBase, baseCommit: head }, async (workspace) => {
      await workspace.files.write('docs/guide.md', text('ours\n'));
      await commit(workspace);
    });
    expect(parents()).toEqual([head]);
    expect(listed('diff', '--name-only', head, BRANCH)).toEqual([CI, 'docs/guide.md']);
  });
});

describe('a merge of the base branch', () => {
  it.each(
    (['verified', 'auto', 'push'] as const).flatMap((strategy) => [
      { strategy, isLate: false, what: 'brings its workflow files' },
      { strategy, isLate: true, what: 'brings the workflow files that it got meanwhile' },
    ]),
  )('$what, in the mode $strategy', async ({ strategy, isLate }) => {
    const files = { 'docs/own.md': 'ours\n' };
    const baseCommit = await scene.github
      .as('maintainer')
      .push(repository, { branch: BRANCH, message: 'Ours', files });
    const theirs = await change({ 'src/b.ts': 'theirs\n' });
    const merge = { theirs, branch: 'main' };
    await inWorkspace({ strategy, baseCommit, merge }, async (workspace) => {
      if (isLate) await change({ 'src/a.ts': 'newest\n' });
      const done = await commit(workspace);
      expect(done?.merges).toBe(at('main'));
      expect(workspace.isOutdated()).toBe(isLate);
    });
    expect(parents()).toEqual([baseCommit, at('main')]);
    expect(listed('diff', '--name-only', 'main', BRANCH)).toEqual(['docs/own.md']);
    expect(isVerified(repository, BRANCH)).toBe(strategy !== 'push');
  });
});

import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { text } from './support.ts';

let server: GitServer;
let repository: TestRepository;

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/sample', {
    'README.md': 'Sample\n',
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
  });
});
afterAll(async () => server.close());

const scene = () => openScene(server, repository);

const paths = async ({ git }: Workspace) => (await git.changes()).map(({ path }) => path);

describe('a repository that a command made, which no commit takes,', () => {
  it('is a whole directory, bare or not, wherever it is made', async () => {
    const { workspace, at, command } = await scene();
    const done = await command(() => {
      for (const name of ['bare', 'nested']) mkdirSync(at(name));
      nativeGit(at('bare'), 'init', '-q', '--bare');
      nativeGit(at('nested'), 'init', '-q');
      nativeGit(at('src'), 'init', '-q', '--bare', '.');
      mkdirSync(at('worktree'));
      writeFileSync(at('worktree/HEAD'), 'ref: refs/heads/main\n');
      writeFileSync(at('worktree/commondir'), '../bare\n');
      writeFileSync(at('src/a.ts'), 'changed\n');
      writeFileSync(at('new.ts'), 'new\n');
    });
    const made = ['bare', 'nested', 'src', 'worktree'];
    expect(done).toMatchObject({ changed: ['new.ts'], leftOut: { repositories: made } });
    expect((await command(() => {})).leftOut.repositories).toEqual([]);
    expect(await paths(workspace)).toEqual(['new.ts']);
    expect(await workspace.files.write('bare/x', text('x'))).toMatchObject({
      uncommitted: 'No commit includes "bare/x": it is in "bare", a git repository of its own.',
    });
    await workspace.close();
  });

  it('is one also if the base has its HEAD, but not if the base has all of it', async () => {
    const whole = { HEAD: 'ref: refs/heads/main\n', 'objects/x': 'x', 'refs/x': 'x', config: 'x' };
    const inFixtures = Object.entries(whole).map(([name, text]) => [`fixtures/${name}`, text]);
    const tracked = server.createRepository('octo/heads', {
      'part/HEAD': 'ref: refs/heads/main\n',
      'part/file': 'x\n',
      ...Object.fromEntries(inFixtures),
    });
    const { workspace, at, command } = await openScene(server, tracked, {});
    const done = await command(() => {
      for (const name of ['objects', 'refs']) mkdirSync(at(`part/${name}`));
      for (const path of ['part/config', 'part/refs/x', 'part/objects/x', 'fixtures/new'])
        writeFileSync(at(path), 'x');
      writeFileSync(at('part/file'), 'changed\n');
    });
    expect(done).toMatchObject({ changed: ['fixtures/new'], leftOut: { repositories: ['part'] } });
    expect(await paths(workspace)).toEqual(['fixtures/new']);
    const commit = await workspace.git.commit({ message: 'x', at: new Date(1) });
    expect(commit?.withheld).toEqual(['part']);
    await workspace.close();
  });

  it('is everything if the root becomes one, and nothing counts as deleted', async () => {
    const { workspace, at, command } = await scene();
    const done = await command(() => nativeGit(at('.'), 'init', '-q', '--bare', '.'));
    expect(done).toMatchObject({ changed: [], leftOut: { repositories: ['.'] } });
    expect(await paths(workspace)).toEqual([]);
    await workspace.close();
  });
});

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { steeringFiles } from '../../src/session/settings/index.ts';
import { nativeGit, startGitServer, type GitServer } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { text } from './support.ts';

let server: GitServer;
let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  server = await startGitServer();
  const repository = server.createRepository('octo/sample', {
    'README.md': 'Sample\n',
    'docs/x/rules.md': 'rules\n',
    'docs/x/other.md': 'other\n',
    'docs/named.md': 'named\n',
    'docs/Chain.md': 'chain\n',
    'web/rules.md': 'rules of web\n',
    'shared/a.md': 'a\n',
    'AGENTS.md': '@docs/named.md\n',
  });
  const links =
    'ln -s docs/x/rules.md CLAUDE.md; ln -s docs short; ln -s short/Chain.md GEMINI.md; ' +
    'ln -s rules.md web/AGENTS.md; ln -s shared .claude; ln -s .. web/CLAUDE.md; ln -s /etc/passwd AGENT.md';
  execFileSync('sh', ['-ec', links], { cwd: repository.checkout });
  nativeGit(repository.checkout, 'add', '.');
  nativeGit(repository.checkout, 'commit', '-qm', 'links');
  nativeGit(repository.checkout, 'push', '-q', 'origin', 'HEAD:main');
  scene = await openScene(server, repository, { paths: { readOnly: steeringFiles([]) } });
});
afterAll(async () => {
  await scene.workspace.close();
  await server.close();
});

describe('what a file that steers agents only points to', () => {
  it.each([
    'docs/x/rules.md',
    'docs/named.md',
    'docs/Chain.md',
    'docs/chain.md',
    'web/rules.md',
    'shared/a.md',
    'shared/new.md',
  ])('is written by people alone: %s', async (path) => {
    await expect(scene.workspace.files.write(path, text('obey'))).rejects.toThrow('only people');
  });

  it.each(['docs/x/other.md', 'README.md', 'rules.md', 'web/new.md'])(
    'is not what is beside it: %s',
    async (path) => {
      await scene.workspace.files.write(path, text('fine'));
    },
  );

  it('is as before after a command that writes through a link', async () => {
    await scene.keep();
    const script = 'echo obey > CLAUDE.md; echo obey > GEMINI.md; echo obey > .claude/new.md';
    const done = await scene.command(
      () => void execFileSync('sh', ['-ec', script], { cwd: scene.at('.') }),
    );
    expect(done.drained).toEqual([]);
    expect(scene.text('docs/x/rules.md')).toBe('rules\n');
    expect(scene.text('docs/Chain.md')).toBe('chain\n');
  });
});

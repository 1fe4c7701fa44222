import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { steeringFiles } from '../../src/session/settings/index.ts';
import { nativeGit, startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { text } from './support.ts';

let server: GitServer;
let empty: TestRepository;
let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  server = await startGitServer();
  empty = server.createRepository('octo/empty', { 'README.md': 'Empty\n' });
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

describe('a directory that agents are steered from', () => {
  const open = (
    files: Readonly<Record<string, string>>,
    links: Readonly<Record<string, string>>,
  ) => {
    const repository = server.createRepository(`octo/links-${Object.keys(links).join('-')}`, files);
    for (const [path, target] of Object.entries(links))
      symlinkSync(target, join(repository.checkout, path));
    repository.commit({ 'README.md': 'Linked\n' });
    const readOnly = steeringFiles(['docs/ai/[guide].md']);
    return openScene(server, repository, { paths: { readOnly } });
  };

  it.each(['.github', '.GitHub', '.vscode', 'docs', 'docs/ai'])(
    'is no link and no file: %s',
    async (path) => {
      const { workspace, command, at } = await openScene(server, empty, {
        paths: { readOnly: steeringFiles(['docs/ai/[guide].md']) },
      });
      await expect(workspace.files.write(path, text('x'))).rejects.toThrow('a directory');
      const done = await command(() => {
        mkdirSync(at('other'));
        mkdirSync(dirname(at(path)), { recursive: true });
        symlinkSync(relative(dirname(at(path)), at('other')), at(path));
        writeFileSync(at('other/mcp.json'), '{}');
      });
      expect(done).toMatchObject({ changed: ['other/mcp.json'], reverted: [path] });
      await workspace.close();
    },
  );

  it('is protected where a link in the repository leads', async () => {
    const links = { '.github': 'gh', '.vscode': 'a', a: 'b/../vs', docs: '.' };
    const { workspace } = await open({ 'gh/x': 'x', 'vs/x': 'x', 'b/x': 'x', 'ai/x': 'x' }, links);
    const steering = ['gh/instructions/a.md', 'gh/Issuewright.yml', 'vs/mcp.json', 'ai/[guide].md'];
    for (const path of steering)
      await expect(workspace.files.write(path, text('obey'))).rejects.toThrow('only people');
    for (const path of ['gh/other.md', 'vs/settings.json', 'ai/g.md', 'x/ai/[guide].md'])
      await workspace.files.write(path, text('fine'));
    await workspace.close();
  });
});

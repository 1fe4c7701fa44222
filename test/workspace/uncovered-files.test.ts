import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { nativeGit, startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { text } from './support.ts';

let server: GitServer;
let repository: TestRepository;

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/sample', { 'README.md': 'Sample\n' });
});
afterAll(async () => server.close());

it('what a command made at ignored paths is not committed when a tool uncovers it, unless tools may write it', async () => {
  const paths = { deny: ['.env'], readOnly: ['AGENTS.md', '.github/issuewright.yml'] };
  const { workspace, at, keep, command } = await openScene(server, repository, {
    baseCommit: repository.head(),
    paths,
  });
  await workspace.files.write('.gitignore', text('AGENTS.md\n.github/\n.env\nCODEOWNERS\nnotes\n'));
  await keep();
  const made = ['AGENTS.md', '.env', 'CODEOWNERS', 'notes', '.github/issuewright.yml'];
  await command(() => {
    mkdirSync(at('.github'));
    for (const path of made) writeFileSync(at(path), 'evil\n');
  });
  await workspace.files.write('.gitignore', text('dist/\n'));
  await keep();
  const done = await workspace.git.commit({ message: 'Ignore less', at: new Date(0) });
  expect(done?.files.map(({ path }) => path)).toEqual(['.gitignore', 'notes']);
  expect(done?.withheld?.toSorted()).toEqual(
    ['.env', '.github/issuewright.yml', 'AGENTS.md', 'CODEOWNERS'].toSorted(),
  );
  expect(nativeGit(repository.directory, 'ls-tree', '-r', '--name-only', done?.sha ?? '')).toBe(
    '.gitignore\nREADME.md\nnotes',
  );
  await workspace.close();
});

import { afterAll, beforeAll } from '@jest/globals';
import { gitContract } from '../../contract/git.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { open } from '../support.ts';
import { ENGINES } from './engines.ts';

let server: GitServer;
let repository: TestRepository;
let base = '';

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/sample', { 'README.md': 'Sample\n' });
  base = repository.head();
});
afterAll(async () => server.close());

for (const engine of ENGINES)
  gitContract(`the git of a workspace of the ${engine} engine`, async () => {
    for (const branch of repository.git('branch', '--format=%(refname:short)').split('\n'))
      if (branch !== 'main') repository.git('branch', '-q', '-D', branch);
    const git = { engine, maxBytes: 2 ** 28 };
    const workspace = await open(server, repository, { git, baseCommit: base });
    return {
      files: workspace.files,
      git: workspace.git,
      denyPushes: (words) => repository.denyPushes(words),
      close: () => workspace.close(),
    };
  });

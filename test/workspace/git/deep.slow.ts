// Directories in one another, as deep as the names of files can be: twice as many take twice as much work, not four times.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startGitServer, type GitServer } from '../../support/git-server.ts';
import { RawObjects } from '../../support/raw-objects.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Asked, DeepWork } from './deep-process.ts';
import { ENGINES } from './engines.ts';

const PROGRAM = fileURLToPath(new URL('deep-process.ts', import.meta.url));
let server: GitServer;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

interface Tree {
  readonly levels: number;
  /** In the deepest directory. */
  readonly files: number;
}

/** What each step asks the file system for. */
async function askedWith(
  engine: DeepWork['engine'],
  { levels, files }: Tree,
): Promise<Record<string, Asked>> {
  const repository = server.createRepository(`octo/deep-${engine}-${levels}-${files}`, {});
  const objects = new RawObjects();
  const names = Array.from({ length: files }, (_, at) => `file-${at}`).toSorted();
  let tree = objects.tree(...names.map((name) => ['100644', name, objects.blob(name)] as const));
  for (let level = 0; level < levels; level += 1) tree = objects.tree(['40000', 'd', tree]);
  const commit = objects.commit(tree);
  objects.store(repository.directory);
  repository.git('update-ref', 'refs/heads/main', commit);
  const work: DeepWork = {
    engine,
    remoteUrl: repository.url,
    token: server.token,
    commit,
    directory: temporaryDirectory(),
  };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(work)]);
  return JSON.parse(stdout) as Record<string, Asked>;
}

it.each(ENGINES)(
  'clone, search, command and commit make calls by the number of levels with the %s engine',
  async (engine) => {
    const some = await askedWith(engine, { levels: 750, files: 20 });
    const twice = await askedWith(engine, { levels: 1500, files: 20 });
    const steps = ['clone', 'search', 'before a command', 'after a command', 'changes', 'commit'];
    expect(Object.keys(some)).toEqual(steps);
    const growth = steps.map((step) => (twice[step]?.calls ?? 0) / (some[step]?.calls ?? 1));
    expect(Math.max(...growth)).toBeLessThan(2.3);
    // Or nothing was counted.
    for (const step of steps.slice(2)) expect(twice[step]?.calls).toBeGreaterThan(1500);
  },
);

it('another file in the deepest directory costs no walk of its own', async () => {
  const levels = 1500;
  const [some, twice] = [
    await askedWith('native', { levels, files: 20 }),
    await askedWith('native', { levels, files: 40 }),
  ];
  const namesIn = (asked: Record<string, Asked>): number => asked['after a command']?.names ?? 0;
  expect(namesIn(some)).toBeGreaterThan(levels);
  expect(namesIn(twice) / namesIn(some)).toBeLessThan(1.4);
});

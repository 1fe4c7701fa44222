// Directories in one another, as deep as the names of files can be: twice as many take twice as much work, not four times.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startGitServer, type GitServer } from '../../support/git-server.ts';
import { RawObjects } from '../../support/raw-objects.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { DeepWork } from './deep-process.ts';
import { ENGINES } from './engines.ts';

const PROGRAM = fileURLToPath(new URL('deep-process.ts', import.meta.url));
const FILES = 20;

let server: GitServer;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

/** The calls of the file system that each step makes with so many levels. */
async function callsWith(
  engine: DeepWork['engine'],
  levels: number,
): Promise<Record<string, number>> {
  const repository = server.createRepository(`octo/deep-${engine}-${levels}`, {});
  const objects = new RawObjects();
  const names = Array.from({ length: FILES }, (_, at) => `file-${at}`).toSorted();
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
  return JSON.parse(stdout) as Record<string, number>;
}

it.each(ENGINES)(
  'clone, search, command and commit take work by the number of levels with the %s engine',
  async (engine) => {
    const [some, twice] = [await callsWith(engine, 750), await callsWith(engine, 1500)];
    const steps = ['clone', 'search', 'before a command', 'after a command', 'changes', 'commit'];
    expect(Object.keys(some)).toEqual(steps);
    const growth = steps.map((step) => (twice[step] ?? 0) / (some[step] ?? 1));
    expect(Math.max(...growth)).toBeLessThan(2.3);
    // Or nothing was counted.
    for (const step of steps.slice(2)) expect(twice[step]).toBeGreaterThan(1500);
  },
  180_000,
);

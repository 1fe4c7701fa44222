// kill -9 at random points of fetch, checkout, commit and push, each of which is hit. The next session finds nothing that is in its way, and others
// that work with the same cache notice nothing.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EngineName } from '../../../src/workspace/git/engines/engine.ts';
import { cases } from '../../support/cases.ts';
import { faultsIn } from '../../support/fsck.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { open } from '../support.ts';
import { ENGINES } from './engines.ts';
import {
  commitOf,
  contentIn,
  killInEachPhase,
  leftAfterSweep,
  SessionProcess,
} from './session-scene.ts';

const TIMEOUT_MS = 1_200_000;
const MAX_BYTES = 2 ** 28;

let server: GitServer;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

/** Directories of their own, and processes that work in them. */
function sceneOf(repository: TestRepository, engine: EngineName) {
  const directory = temporaryDirectory();
  const temporary = join(directory, 'tmp');
  const cacheDirectory = join(directory, 'cache');
  mkdirSync(temporary);
  const cache =
    engine === 'native' ? { directory: cacheDirectory, maxBytes: MAX_BYTES } : undefined;
  const git = { engine, maxBytes: MAX_BYTES, cache };
  return {
    git,
    temporary,
    start: (commit: string, branch: string): SessionProcess => {
      const remoteUrl = repository.url;
      const work = { remoteUrl, token: server.token, commit, branch, git };
      return new SessionProcess(work, { TMPDIR: temporary });
    },
    /** How long a session takes that nobody kills. */
    measure: async (start: () => SessionProcess): Promise<number> => {
      const begun = performance.now();
      const whole = start();
      expect(await whole.worked()).toBe('done');
      const took = performance.now() - begun;
      await whole.kill();
      return took;
    },
    expectIntact: async (): Promise<void> => {
      expect(faultsIn(repository.directory)).toEqual([]);
      const kept = existsSync(cacheDirectory) ? readdirSync(cacheDirectory) : [];
      for (const name of kept.filter((one) => one.endsWith('.git')))
        expect(faultsIn(join(cacheDirectory, name))).toEqual([]);
      expect(await leftAfterSweep(temporary)).toEqual([]);
    },
  };
}

const TIMES = cases(1, 10);

describe.each(ENGINES)('with the %s engine', (engine) => {
  it(
    `a process that is killed, ${TIMES} times in each of its phases, leaves nothing that harms the next`,
    async () => {
      const repository = server.createRepository(`octo/killed-${engine}`, {});
      const { git, temporary, start, expectIntact } = sceneOf(repository, engine);
      const commits = new Map<number, string>();
      await killInEachPhase({
        temporary,
        times: TIMES,
        start: (attempt) => {
          const commit = commitOf(repository, attempt);
          commits.set(attempt, commit);
          return start(commit, `try-${attempt}`);
        },
        look: async (attempt) => {
          const commit = commits.get(attempt) ?? '';
          const workspace = await open(server, repository, { git, baseCommit: commit });
          const name = `file-${attempt}.txt`;
          const found = Buffer.from(await workspace.files.read(name)).toString();
          expect(found).toBe(contentIn(name, attempt));
          expect(await workspace.git.changes()).toEqual([]);
          await workspace.close();
          const pushed = repository.git('branch', '--list', `try-${attempt}`) !== '';
          const parent = pushed ? repository.git('rev-parse', `try-${attempt}^`) : commit;
          expect(parent).toBe(commit);
        },
      });
      await expectIntact();
    },
    TIMEOUT_MS,
  );
});

const ROUNDS = cases(3, 25);

it(
  `processes that share a cache finish, although one of them is killed, ${ROUNDS} times`,
  async () => {
    const repository = server.createRepository('octo/shared', {});
    const { start, measure, expectIntact } = sceneOf(repository, 'native');
    let tookMs = await measure(() => start(commitOf(repository, 0), 'alone'));
    for (let round = 1; round <= ROUNDS; round += 1) {
      const commit = commitOf(repository, round);
      const begun = performance.now();
      const [killed, ...others] = [1, 2, 3].map((at) => start(commit, `round-${round}-${at}`));
      await pause(tookMs * (0.3 + 0.7 * Math.random()));
      await killed?.kill();
      for (const other of others) expect(await other.worked()).toBe('done');
      tookMs = performance.now() - begun;
      for (const other of others) await other.kill();
      for (const at of [2, 3]) {
        const branch = `round-${round}-${at}`;
        expect(repository.git('diff', '--name-only', commit, branch)).toBe('file-7.txt');
        expect(repository.git('show', `${branch}:file-7.txt`)).toBe(`changed on ${branch}`);
        expect(repository.git('rev-parse', `${branch}^`)).toBe(commit);
      }
    }
    await expectIntact();
  },
  TIMEOUT_MS,
);

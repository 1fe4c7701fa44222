// kill -9 at random points of fetch, checkout, commit and push. The next session finds nothing that is in its way.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sweepWorkspaces } from '../../../src/workspace/temporary-directory.ts';
import { cases } from '../../support/cases.ts';
import { faultsIn } from '../../support/fsck.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { RawObjects } from '../../support/raw-objects.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { open } from '../support.ts';
import { ENGINES } from './engines.ts';
import type { KilledWork } from './session-process.ts';

const KILLS = cases(5, 50);
const FILES = 300;
const PROGRAM = fileURLToPath(new URL('session-process.ts', import.meta.url));
const TIMEOUT_MS = 1_200_000;

let server: GitServer;
let repository: TestRepository;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

/** A commit of its own for each try, so that there is something to fetch. */
function commitFor(attempt: number): string {
  const objects = new RawObjects();
  const names = Array.from({ length: FILES }, (_, at) => `file-${at}.txt`).toSorted();
  const tree = objects.tree(
    ...names.map((name) => ['100644', name, objects.blob(contentOf(name, attempt))] as const),
  );
  const commit = objects.commit(tree);
  objects.store(repository.directory);
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

const contentOf = (name: string, attempt: number): string =>
  `${name} of try ${attempt}\n`.repeat(50);

describe.each(ENGINES)('with the %s engine', (engine) => {
  it(
    `a process that is killed, ${KILLS} times, leaves nothing that harms the next`,
    async () => {
      repository = server.createRepository(`octo/killed-${engine}`, {});
      const directory = temporaryDirectory();
      const temporary = join(directory, 'tmp');
      const cacheDirectory = join(directory, 'cache');
      mkdirSync(temporary);
      const maxBytes = 2 ** 28;
      const cache = engine === 'native' ? { directory: cacheDirectory, maxBytes } : undefined;
      const git = { engine, maxBytes, cache };
      const start = (commit: string, branch: string): ChildProcess => {
        const work: KilledWork = {
          remoteUrl: repository.url,
          token: server.token,
          commit,
          branch,
          git,
        };
        const env = { ...process.env, TMPDIR: temporary };
        return fork(PROGRAM, [JSON.stringify(work)], { env, execArgv: [] });
      };
      const begun = performance.now();
      const whole = start(commitFor(0), 'try-0');
      const messages: unknown[] = [];
      while (messages.at(-1) !== 'done') messages.push((await once(whole, 'message'))[0]);
      const tookMs = performance.now() - begun;
      await ended(whole);
      let interrupted = 0;
      for (let attempt = 1; attempt <= KILLS; attempt += 1) {
        const commit = commitFor(attempt);
        const child = start(commit, `try-${attempt}`);
        let last: unknown;
        child.on('message', (message) => (last = message));
        // Starting takes a third of the time, and is not what is looked at.
        await pause(tookMs * (0.3 + 0.7 * Math.random()));
        await ended(child);
        if (last !== 'done') interrupted += 1;
        const workspace = await open(server, repository, { git, baseCommit: commit });
        const name = `file-${attempt}.txt`;
        const found = Buffer.from(await workspace.files.read(name)).toString();
        expect(found).toBe(contentOf(name, attempt));
        expect(await workspace.git.changes()).toEqual([]);
        await workspace.close();
        const pushed = repository.git('branch', '--list', `try-${attempt}`) !== '';
        const parent = pushed ? repository.git('rev-parse', `try-${attempt}^`) : commit;
        expect(parent).toBe(commit);
      }
      expect(interrupted).toBeGreaterThan(0);
      expect(faultsIn(repository.directory)).toEqual([]);
      const kept = existsSync(cacheDirectory) ? readdirSync(cacheDirectory) : [];
      for (const name of kept.filter((one) => one.endsWith('.git')))
        expect(faultsIn(join(cacheDirectory, name))).toEqual([]);
      await sweepWorkspaces(() => {}, temporary);
      expect(readdirSync(temporary)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});

/** Kills it. What it started lives on for as long as that wants to. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

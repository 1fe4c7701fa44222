// A process with what the service has for workspaces. Its parent tells it what to open, and hears how long that took.
import { GitThreads } from '../../src/workspace/git/threads.ts';
import type { GitSettings } from '../../src/workspace/git/engines/choose-engine.ts';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { untilPrepared } from './prepared.ts';

export interface Place {
  readonly token: string;
  readonly git: GitSettings;
}

export type Order =
  | { readonly act: 'open'; readonly url: string; readonly commit: string; readonly times: number }
  | { readonly act: 'commit'; readonly path: string; readonly branch: string }
  | { readonly act: 'close' };

/** Milliseconds. */
export type Answer =
  | { readonly took: number }
  | { readonly looked: number; readonly committed: number; readonly pushed: number }
  | { readonly refused: string };

const place = JSON.parse(process.argv[2] ?? '') as Place;
const threads = new GitThreads();
const stop = new AbortController();
let opened: Workspace[] = [];
let branch = 'bench';
/** When the token for the push was asked for: the commit is made then. */
let tokenAskedAt = 0;

const open = (remoteUrl: string, commit: string): Promise<Workspace> =>
  openWorkspace({
    remoteUrl,
    credentials: (access) => {
      if (access !== 'read') tokenAskedAt = performance.now();
      return Promise.resolve(place.token);
    },
    baseCommit: commit,
    branch: () => branch,
    author: { name: 'bench', email: 'bench@example.test' },
    changes: [],
    git: place.git,
    installation: 1,
    threads,
    signal: stop.signal,
  });

async function openAll(url: string, commit: string, times: number): Promise<Answer> {
  const begun = performance.now();
  const all = await Promise.all(Array.from({ length: times }, () => open(url, commit)));
  const took = performance.now() - begun;
  opened.push(...all);
  return { took };
}

async function commitOne(path: string, on: string): Promise<Answer> {
  const [workspace] = opened;
  if (workspace === undefined) throw new Error('there is no workspace');
  branch = on;
  const before = Buffer.from(await workspace.files.read(path));
  const line = Buffer.from(`// Changed at ${performance.now()}.\n`);
  await workspace.files.write(path, Buffer.concat([before, line]));
  const begun = performance.now();
  const found = await workspace.git.changes();
  const looked = performance.now();
  const done = await workspace.git.commit({ message: 'Change a file', at: new Date() });
  if (found.length !== 1 || done?.files.length !== 1) throw new Error('not one file was changed');
  return {
    looked: looked - begun,
    committed: tokenAskedAt - looked,
    pushed: performance.now() - tokenAskedAt,
  };
}

async function closeAll(): Promise<Answer> {
  const { cache } = place.git;
  if (cache !== undefined) await untilPrepared(cache.directory);
  const begun = performance.now();
  const all = opened;
  opened = [];
  for (const workspace of all) await workspace.close();
  return { took: performance.now() - begun };
}

const carryOut = (order: Order): Promise<Answer> => {
  if (order.act === 'open') return openAll(order.url, order.commit, order.times);
  return order.act === 'commit' ? commitOne(order.path, order.branch) : closeAll();
};

process.on('message', (order) => {
  // The parent sends nothing else.
  carryOut(order as Order).then(
    (answer) => process.send?.(answer),
    (error: unknown) => process.send?.({ refused: String(error) } satisfies Answer),
  );
});
process.once('disconnect', () => {
  stop.abort();
  void closeAll().then(() => threads.close());
});

// The dependencies of this project, installed or from the cache, and what they cost afterwards.
import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { homeOf, openSandbox, type Sandbox } from '../../packages/sandbox/src/index.ts';
import {
  DependencyCache,
  type KeptDependencies,
} from '../../src/workspace/dependencies/dependency-cache.ts';
import { removeTree } from '../../src/workspace/remove-tree.ts';
import { GitThreads } from '../../src/workspace/git/threads.ts';
import { openWorkspace, type Workspace } from '../../src/workspace/workspace.ts';
import { startGitServer } from '../../test/support/git-server.ts';
import { generate } from '../git/repository.ts';
import { median } from '../median.ts';

/** Or the argument of the command: an install takes long on a busy machine. */
const ROUNDS = Number(process.argv[3] ?? '3');
const LOOKS = 10;
const FILES = 3_000;
const MAX_BYTES = 2 ** 33;
const MODULES = 'node_modules';
/** Nothing is downloaded, and nothing built: as fast as it can be. */
const INSTALL = ['ci', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
const { signal } = new AbortController();

/** Needs what npm keeps of an earlier install of this project. */
export async function benchSetup(): Promise<string> {
  const [load = 0] = loadavg();
  const around = await mkdtemp(path.join(tmpdir(), `issuewright-${process.pid}-`));
  // Commands may run as another user, who has to get to the workspaces.
  await chmod(around, 0o711);
  const opened = await openSandbox({ allowHosts: [], log: pino({ level: 'silent' }) });
  if (opened.state === 'absent') throw new Error(opened.why);
  const { sandbox } = opened;
  try {
    const installs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) installs.push(await install(around, round));
    const directory = path.join(around, 'cache');
    await mkdir(directory, { recursive: true });
    const place = { directory, maxBytes: MAX_BYTES, installation: 1 };
    const cache = new DependencyCache(place, 'https://github.example/bench/setup.git', signal);
    const from = { tree: path.join(around, '0'), home: path.join(around, 'home') };
    const [kept, keeping] = await timed(() => cache.keep('bench', [MODULES], from, true));
    say(`to keep it took${ms(keeping)}`);
    if (kept === undefined || !('isAll' in kept)) throw new Error('it could not be kept');
    const looks = await measureLooks({ cache, kept, sandbox, around });
    return [
      `Load before: ${load.toFixed(1)}. Medians of ${ROUNDS} rounds.`,
      `npm ci, offline, without scripts           ${ms(median(installs))}`,
      `from the cache                             ${ms(median(looks.copies))}  (${(median(looks.copies) / median(installs)).toFixed(2)}×)`,
      `its first command, which gets the files    ${ms(median(looks.firsts))}`,
      `kept once                                  ${ms(keeping)}`,
      `look after a command, ${FILES} files         ${ms(looks.without)} without, ${ms(looks.with)} with them`,
    ].join('\n');
  } finally {
    await sandbox.close();
    await removeTree(around);
  }
}

async function install(around: string, round: number): Promise<number> {
  const tree = path.join(around, String(round));
  await mkdir(tree);
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(path.join(process.cwd(), name), path.join(tree, name));
  const [, took] = await timed(() => promisify(execFile)('npm', INSTALL, { cwd: tree }));
  say(`an install took${ms(took)}`);
  if (round > 0) await rm(tree, { recursive: true });
  return took;
}

interface Scene {
  readonly cache: DependencyCache;
  readonly kept: KeptDependencies;
  readonly sandbox: Sandbox;
  readonly around: string;
}

/** The copies are made in workspaces of a repository that ignores them. */
async function measureLooks({ cache, kept, sandbox, around }: Scene) {
  const server = await startGitServer();
  const threads = new GitThreads();
  const repository = server.createRepository('bench/setup', {});
  await generate(repository.directory, FILES);
  const open = (): Promise<Workspace> =>
    openWorkspace({
      remoteUrl: repository.url,
      credentials: () => Promise.resolve(server.token),
      baseCommit: repository.head(),
      branch: () => 'bench',
      author: { name: 'bench', email: 'bench@example.test' },
      changes: [],
      git: { engine: 'native', maxBytes: MAX_BYTES, workDirectory: around },
      installation: 1,
      threads,
      signal,
    });
  const copies: number[] = [];
  const firsts: number[] = [];
  const [before, after]: number[][] = [[], []];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const workspace = await open();
      await workspace.files.write('.gitignore', Buffer.from(`${MODULES}/\n`));
      await workspace.drain();
      const { directory } = workspace.commands;
      before?.push(...(await lookTimes(workspace)));
      const to = { tree: directory, home: homeOf({ directory }) };
      const [left, took] = await timed(() => cache.restore(kept, to));
      if (left !== undefined) throw new Error(left);
      copies.push(took);
      say(`a copy took${ms(took)}`);
      const shell = sandbox.shell({ directory });
      const request = { command: 'true', directory: '', timeoutMs: 60_000, signal };
      firsts.push((await timed(() => shell.run(request)))[1]);
      after?.push(...(await lookTimes(workspace)));
      await workspace.close();
    }
  } finally {
    await threads.close();
    await server.close();
  }
  return { copies, firsts, without: median(before ?? []), with: median(after ?? []) };
}

async function lookTimes({ commands: { watch } }: Workspace): Promise<number[]> {
  const times: number[] = [];
  for (let look = 0; look < LOOKS; look += 1)
    times.push(
      (
        await timed(async () => {
          await watch.begin();
          await watch.end(() => Promise.resolve([]));
        })
      )[1],
    );
  return times;
}

/** What happens: the whole takes minutes. */
const say = (words: string): void => void process.stderr.write(`${words}\n`);

const ms = (value: number): string => `${Math.round(value)} ms`.padStart(9);

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  const result = await work();
  return [result, performance.now() - begun];
}

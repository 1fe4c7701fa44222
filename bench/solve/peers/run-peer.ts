// A peer on a task: installed from the registry, with a home directory of its own, measured at the model server.
// It is not in a sandbox: what it runs, runs as whoever started the bench.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type {
  Exchange,
  HandPlayedModel,
} from '../../../packages/local-github/src/model/hand-played-model.ts';
import type { ModelServer } from '../../../packages/local-github/src/model/server.ts';
import type { TaskGround } from '../judge.ts';
import type { Done } from '../rows.ts';
import { git } from '../task-repository.ts';
import type { Peer } from './peer.ts';
import { TellPerson } from '../../../src/lib/errors.ts';

const run = promisify(execFile);

/** What our agent hands over, too, so that figures compare. */
const DELIVERABLE =
  'Add tests for the change if the project has tests, and commit your work with a message that says what and why.';

interface Installed {
  readonly version: string;
  readonly binary: string;
}

/** Once in each working directory. */
export async function installPeer(peer: Peer, work: string): Promise<Installed> {
  const folder = path.resolve(work, 'peers', peer.name);
  const manifest = path.join(folder, 'node_modules', peer.package, 'package.json');
  if (!existsSync(manifest)) {
    mkdirSync(folder, { recursive: true });
    process.stderr.write(`Installing ${peer.package} …\n`);
    const words = ['install', '--no-audit', '--no-fund', '--prefix', folder, peer.package];
    await run('npm', words);
  }
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  return { version, binary: path.join(folder, 'node_modules', '.bin', peer.binary) };
}

interface PeerAttempt {
  readonly ground: TaskGround;
  readonly work: string;
  readonly stopped: AbortSignal;
  readonly model: HandPlayedModel;
  readonly server: ModelServer;
}

export async function runPeer(peer: Peer, given: PeerAttempt): Promise<Done> {
  const { ground, work, stopped, model, server } = given;
  const { binary } = await installPeer(peer, work);
  const scratch = mkdtempSync(path.join(tmpdir(), 'bench-peer-'));
  try {
    const folder = path.join(scratch, 'repository');
    const home = path.join(scratch, 'home');
    const env = environmentOf(peer, server.url, home);
    await checkOut(ground, folder, env);
    const before = model.exchanges.length;
    const began = performance.now();
    const watch = peer.watch?.();
    const prompt = `${ground.task.issue}\n\n${DELIVERABLE}`;
    const child = spawn(binary, peer.words(prompt, server.url), {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      signal: stopped,
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      watch?.hear(line);
      if (watch === undefined) process.stderr.write(`${line}\n`);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    const wallMs = performance.now() - began;
    const exchanges = model.exchanges.slice(before);
    if (exchanges.length === 0)
      throw new TellPerson(`${peer.name} ended with ${code} before it asked the model anything.`);
    const commit = await commitOf(ground, folder, env);
    const size = await ground.repositories.changeSize(
      ground.commits.start,
      commit ?? ground.commits.start,
    );
    const failedCalls = watch?.failedCalls ?? null;
    const facts = { exchanges, began, wallMs, commandMs: watch?.commandMs ?? 0 };
    const measures = { ...measuresOf(facts), failedCalls };
    const outcome = code === 0 ? 'done' : `ended with ${code}`;
    const withCommands = watch === undefined;
    return { commit, size, measures, outcome, model: 'hand', withCommands };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

interface PeerFacts {
  readonly exchanges: readonly Exchange[];
  readonly began: number;
  readonly wallMs: number;
  readonly commandMs: number;
}

function measuresOf({ exchanges, began, wallMs, commandMs }: PeerFacts) {
  const sum = (of: (one: Exchange) => number): number =>
    exchanges.reduce((all, one) => all + of(one), 0);
  const modelMs = sum(({ arrived, ended = arrived }) => ended - arrived);
  return {
    turns: exchanges.length,
    replies: exchanges.length,
    calls: sum(({ calls }) => calls),
    input: sum(({ input }) => input),
    cached: sum(({ cached }) => cached),
    output: sum(({ output }) => output),
    dollars: 0,
    isPartial: true,
    minutes: wallMs / 60_000,
    harnessSeconds: (wallMs - modelMs - commandMs) / 1000,
    startSeconds: ((exchanges[0]?.arrived ?? began + wallMs) - began) / 1000,
  };
}

function environmentOf(peer: Peer, url: string, home: string): Record<string, string> {
  for (const [name, text] of Object.entries(peer.files(url))) {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, '.gitconfig'), '[user]\nname = peer\nemail = peer@example.test\n');
  const { PATH = '', LANG = 'C.UTF-8' } = process.env;
  const searched = [path.dirname(process.execPath), ...PATH.split(':').filter(isOfMachine)].join(
    ':',
  );
  return { PATH: searched, LANG, HOME: home, ...peer.variables(url, home) };
}

/** npm puts the programs of this repository, such as jest, in front. The tasks do not have them. */
const isOfMachine = (directory: string): boolean => !directory.includes('node_modules');

/** With what the settings of the repository would set up, as our agent has it. */
async function checkOut(
  { commits: { gitdir }, setup }: TaskGround,
  folder: string,
  env: Record<string, string>,
): Promise<void> {
  const from = `file://${path.resolve(gitdir)}`;
  await git(['clone', '--quiet', '--depth=1', '--branch=start', from, folder]);
  if (setup !== undefined) await run('bash', ['-c', setup], { cwd: folder, env });
}

/** What it committed; all that it changed, if it committed nothing. */
async function commitOf(
  { commits: { start }, repositories }: TaskGround,
  folder: string,
  env: Record<string, string>,
): Promise<string | undefined> {
  const head = (): Promise<string> => git(['-C', folder, 'rev-parse', 'HEAD'], env);
  if ((await head()) === start) {
    await git(['-C', folder, 'add', '--all'], env);
    await git(['-C', folder, 'commit', '--quiet', '--allow-empty', '-m', 'What was changed'], env);
  }
  const commit = await head();
  await git(['-C', folder, 'update-ref', 'refs/heads/result', commit], env);
  await repositories.add({ gitdir: path.join(folder, '.git') }, 'refs/heads/result', commit);
  return commit;
}

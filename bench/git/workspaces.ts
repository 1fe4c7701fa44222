// What a session waits for: a workspace, the first and the second time, a look at what changed, a commit, a push.
import { rm } from 'node:fs/promises';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { git } from '../../packages/local-github/src/github/git/git.ts';
import type { GitServer, TestRepository } from '../../test/support/git-server.ts';
import type { EngineName } from './engines.ts';
import { addCommits, headOf, textFiles, WHO } from './repository.ts';
import { Refused, subjectFor, type Memory, type Subject } from './subject.ts';

/** Milliseconds and bytes, of one round. */
export interface Round {
  readonly cold: number;
  /** Missing for native git. */
  readonly warm?: number | undefined;
  readonly looked?: number;
  readonly committed: number;
  readonly pushed: number;
  readonly pushedBytes: number;
  readonly memory?: Memory;
}

export interface Rounds {
  readonly native: readonly Round[];
  readonly engines: ReadonlyMap<EngineName, readonly Round[]>;
  /** Why an engine has no more rounds. */
  readonly refused: ReadonlyMap<EngineName, string>;
}

export interface Scene {
  readonly server: GitServer;
  readonly repository: TestRepository;
  /** With one small file, so that the first workspace of a process is not the one that is measured. */
  readonly small: TestRepository;
  readonly engines: readonly EngineName[];
  /** Empty, for all that is made. */
  readonly directory: string;
  /** Milliseconds after which no round begins. */
  readonly patienceMs: number;
}

const MOST_ROUNDS = 5;
/** A round that takes longer is repeated less. */
const LONG_MS = 20_000;
const ROUNDS_IF_LONG = 2;
const EDITS = 3;

export async function measureRounds(scene: Scene): Promise<Rounds> {
  const native: Round[] = [];
  const engines = new Map<EngineName, Round[]>(scene.engines.map((engine) => [engine, []]));
  const refused = new Map<EngineName, string>();
  const begun = performance.now();
  const isOver = (rounds: readonly Round[]): boolean =>
    performance.now() - begun > scene.patienceMs ||
    (rounds.length >= ROUNDS_IF_LONG && (rounds[0]?.cold ?? 0) > LONG_MS);
  // The server reads its objects from the disk once.
  await cloned(scene, 'warm-up');
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const left = [...engines].filter(([engine, all]) => !refused.has(engine) && !isOver(all));
    if (round > 1 && left.length === 0) break;
    const at = await headOf(scene.repository.directory);
    const file = (await textFiles(scene.repository.directory))[round * 7] ?? 'README.md';
    native.push(await nativeRound(scene, { round, at, file }));
    for (const [engine, all] of left)
      try {
        all.push(await engineRound(scene, engine, { round, at, file }));
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        refused.set(engine, error.message);
      }
  }
  return { native, engines, refused };
}

interface At {
  readonly round: number;
  /** The commit that the first workspace is of. */
  readonly at: string;
  readonly file: string;
}

async function cloned({ server, repository, directory }: Scene, name: string): Promise<number> {
  const to = path.join(directory, name);
  const begun = performance.now();
  await git(directory, [...authorized(server), 'clone', '-q', '--depth', '1', repository.url, to]);
  const took = performance.now() - begun;
  if (name === 'warm-up') await rm(to, { recursive: true });
  return took;
}

const authorized = ({ token }: GitServer): string[] => {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return ['-c', `http.extraHeader=Authorization: Basic ${basic}`];
};

async function nativeRound(scene: Scene, { round, file }: At): Promise<Round> {
  const { server, repository, directory } = scene;
  const cold = await cloned(scene, `native-${round}`);
  const tree = path.join(directory, `native-${round}`);
  await addCommits(repository.directory, round * 2);
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    appendFileSync(path.join(tree, file), `// Changed at ${performance.now()}.\n`);
    const begun = performance.now();
    await git(tree, ['add', '-A'], { as: WHO });
    await git(tree, ['commit', '-q', '-m', 'Change a file'], { as: WHO });
    times.push(performance.now() - begun);
  }
  const push = ['-c', 'push.negotiate=true', 'push', '-q', 'origin', `HEAD:refs/heads/by-${round}`];
  server.bytesReceived = 0;
  const begun = performance.now();
  await git(tree, [...authorized(server), ...push]);
  const pushed = performance.now() - begun;
  await rm(tree, { recursive: true });
  return { cold, committed: middle(times), pushed, pushedBytes: server.bytesReceived };
}

async function engineRound(scene: Scene, engine: EngineName, where: At): Promise<Round> {
  const { server, small, directory } = scene;
  const place = path.join(directory, `round-${where.round}`);
  const subject = subjectFor(engine, place, server.token);
  try {
    await subject.open(small.url, small.head());
    await subject.closeWorkspaces();
    return await playRound(scene, subject, { ...where, branch: `by-${engine}-${where.round}` });
  } finally {
    await subject.end();
    await rm(place, { recursive: true, force: true });
  }
}

async function playRound(
  { server, repository }: Scene,
  subject: Subject,
  { at, round, file, branch }: At & { readonly branch: string },
): Promise<Round> {
  const { result: cold, memory } = await subject.memoryOf(() => subject.open(repository.url, at));
  const now = await addCommits(repository.directory, round * 2 + 1);
  server.bytesReceived = 0;
  const first = await subject.commit(file, branch);
  const pushedBytes = server.bytesReceived;
  const edits = [first];
  while (edits.length < EDITS) edits.push(await subject.commit(file, branch));
  await subject.closeWorkspaces();
  // Without a cache, the second time is like the first.
  const isWorthIt = subject.hasCache || cold <= LONG_MS;
  const warm = isWorthIt ? await subject.open(repository.url, now) : undefined;
  return {
    cold,
    warm,
    looked: middle(edits.map(({ looked }) => looked)),
    committed: middle(edits.map(({ committed }) => committed)),
    pushed: first.pushed,
    pushedBytes,
    memory,
  };
}

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

export interface Disk {
  readonly one: number;
  readonly ten: number;
}

const AT_ONCE = 10;

/** What workspaces of one repository take on the disk, one alone and ten at once. */
export async function measureDisk(scene: Scene, engine: EngineName): Promise<Disk> {
  const { server, repository, directory } = scene;
  const place = path.join(directory, 'ten');
  const subject = subjectFor(engine, place, server.token);
  try {
    const at = await headOf(repository.directory);
    await subject.open(repository.url, at);
    const one = await subject.disk();
    await subject.open(repository.url, at, AT_ONCE - 1);
    return { one, ten: await subject.disk() };
  } finally {
    await subject.end();
    await rm(place, { recursive: true, force: true });
  }
}

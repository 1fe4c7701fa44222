// The program git. It follows no settings but those given here: none of the machine, of its user or of a repository, and
// runs no hooks, filters or helpers. It reaches the network only in the calls that say so.
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable } from 'node:stream';
import { SYSTEM_PATH } from '../../../../lib/directories.ts';
import { hasCode, MergeRejected, unlessItFails } from '../../../../lib/errors.ts';
import { requireTree } from '../../../files/open-directory.ts';

// What a process of git may take, whatever it is made to read: a pack of a few kB can hold an object of gigabytes.

const MIB = 1024 * 1024;
/** Address space of each process. Two files of 100 MB, the most that GitHub takes, and their delta fit at once. */
const MOST_MEMORY_BYTES = 768 * MIB;
/** That it may print, on each of its two streams. */
const MOST_OUTPUT_BYTES = 32 * MIB;
/** Of `ulimit -f`. */
const BLOCK_BYTES = 512;

/** These keep git within that limit on large repositories. By default it maps whole packs and starts many threads. */
const MEMORY_SETTINGS = [
  'core.bigFileThreshold=16m',
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=128m',
  'pack.threads=2',
  'pack.windowMemory=64m',
  'pack.deltaCacheSize=64m',
];

/** Git was stopped, or gave up, because it needed more than a process of it may take. The message says of what. */
export class LimitReached extends Error {}

/** Git needed more memory than it may take. Where the system has no such limit (macOS), the machine itself had no more. */
export class OutOfMemory extends LimitReached {
  override readonly name = 'OutOfMemory';

  constructor() {
    super(`git would need more than ${MOST_MEMORY_BYTES / MIB} MiB of memory for it`);
  }
}

/** Git did not get done in the time that it has. */
export class TooSlow extends LimitReached {
  override readonly name = 'TooSlow';
  readonly seconds: number;

  constructor(milliseconds: number) {
    const seconds = Math.ceil(milliseconds / 1000);
    super(`git would need more than ${seconds} seconds for it`);
    this.seconds = seconds;
  }
}

/** Git printed more than this process reads of it. */
export class TooMuchOutput extends LimitReached {
  override readonly name = 'TooMuchOutput';

  constructor() {
    super(`git's output was larger than ${MOST_OUTPUT_BYTES / MIB} MiB`);
  }
}

/**
 * Whether git itself says so. What a server says of its own memory begins with `remote:` or `remote error:`. A process that
 * could not be started lacked memory of the machine, which others may free.
 */
export const ranOutOfMemory = (said: string): boolean =>
  /^(?:fatal|error): (?!remote error:|cannot fork\b).*(?:out of memory|cannot allocate memory)/im.test(
    said,
  );

interface ProcessLimits {
  /** No file that it writes may be larger. */
  readonly maxFileBytes?: number | undefined;
  /** Its umask; that of this process if omitted. */
  readonly umask?: number | undefined;
}

/** What Node cannot set for a child, the shell sets for itself before it becomes git. */
function withLimits(
  words: readonly string[],
  { maxFileBytes, umask }: ProcessLimits,
): [program: string, words: string[]] {
  const limits = [
    // It fails where the limit is lower already, and on systems that have none.
    `{ ulimit -v ${MOST_MEMORY_BYTES / 1024} 2>/dev/null || :; }`,
  ];
  if (maxFileBytes !== undefined) limits.push(`ulimit -f ${Math.ceil(maxFileBytes / BLOCK_BYTES)}`);
  if (umask !== undefined) limits.push(`umask 0${umask.toString(8)}`);
  return ['/bin/sh', ['-c', [...limits, 'exec "$@"'].join(' && '), 'sh', ...words]];
}

const TIME_MS = 60_000;

/** `git merge-tree --write-tree` came with this version. */
const OLDEST = [2, 38] as const;

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  ...MEMORY_SETTINGS,
  // What git writes here can be fetched again.
  'core.fsync=none',
  'credential.helper=',
  'fetch.unpackLimit=1',
  'fetch.recurseSubmodules=false',
  'fetch.writeCommitGraph=false',
  'submodule.recurse=false',
  'http.followRedirects=false',
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
  'protocol.version=2',
  'gc.auto=0',
  'maintenance.auto=false',
  // Git would start another one in the repository that objects are borrowed from, which has settings of its own.
  'core.alternateRefsCommand=true',
].flatMap((setting) => ['-c', setting]);

const ENVIRONMENT = {
  PATH: SYSTEM_PATH.join(':'),
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
};

/** The repository that git works on. */
export interface NativePlace {
  readonly gitdir: string;
  /** The work tree: git reads its `.gitattributes`, and only a checkout changes anything in it. */
  readonly tree: string;
  readonly signal: AbortSignal;
}

interface NativeAnswer {
  readonly exitCode: number;
  /** What it printed, as latin1: names in git are any bytes. */
  readonly output: string;
  readonly errors: string;
}

export interface NativeOptions extends ProcessLimits {
  /** What is different in its environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What it reads. If that fails, it is ended, and the call fails with the same reason. */
  readonly input?: string | AsyncIterable<Uint8Array> | undefined;
  readonly timeoutMs?: number | undefined;
  /** A descriptor that stays open until the last of its processes has ended. */
  readonly keepsOpen?: number | undefined;
}

/**
 * Runs git in a repository.
 * @throws {LimitReached}
 * @throws {Error} if it did not exit by itself for another reason: it was stopped
 */
export const runGit = (place: NativePlace, ...words: readonly string[]): Promise<NativeAnswer> =>
  runGitWith(place, {}, words);

export async function runGitWith(
  place: NativePlace,
  options: NativeOptions,
  words: readonly string[],
): Promise<NativeAnswer> {
  try {
    return await collected(startGit(place, options, words), place.signal, options);
  } catch (error) {
    // Node says so of a program and of the directory to start it in.
    if (hasCode(error, 'ENOENT')) requireTree(place.tree);
    throw error;
  }
}

/** The same, for what has to succeed. */
export const askGit = (place: NativePlace, ...words: readonly string[]): Promise<string> =>
  askGitWith(place, {}, words);

export async function askGitWith(
  place: NativePlace,
  options: NativeOptions,
  words: readonly string[],
): Promise<string> {
  const { exitCode, output, errors } = await runGitWith(place, options, words);
  if (exitCode === 0) return output;
  throw new GitFailed(
    `git ${words[0] ?? ''} exited with ${exitCode}: ${errors.slice(0, 500).trim()}`,
  );
}

/** Git itself failed, on what is on this machine. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

/** Git cannot read an object that it should have: the copy here is damaged, or what the server sent is. */
export class DamagedRepository extends GitFailed {}

/** Starts git in a process group of its own. The caller ends it with `endGroup`, and waits until it has closed. */
export function startGit(
  { gitdir, tree }: NativePlace,
  options: NativeOptions,
  words: readonly string[],
): ChildProcess {
  const { environment = {}, keepsOpen } = options;
  const env = { ...ENVIRONMENT, GIT_DIR: gitdir, GIT_WORK_TREE: tree, ...environment };
  const keeps = keepsOpen === undefined ? [] : [keepsOpen];
  return spawn(...withLimits(['git', ...SETTINGS, ...words], options), {
    cwd: tree,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...keeps],
  });
}

/** Ends a process and all that it started. */
export function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null)
    unlessItFails(() => process.kill(-pid, 'SIGKILL'));
}

function collected(
  child: ChildProcess,
  signal: AbortSignal | undefined,
  { input, timeoutMs = TIME_MS }: Pick<NativeOptions, 'input' | 'timeoutMs'>,
): Promise<NativeAnswer> {
  return new Promise((resolve, reject) => {
    let failure: unknown;
    const end = (reason: unknown): void => {
      failure ??= reason;
      endGroup(child);
    };
    const abort = (): void => end(signal?.reason);
    const timer = setTimeout(() => end(new TooSlow(timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted === true) abort();
    const [output, errors] = [child.stdout, child.stderr].map((stream) => {
      const chunks: Buffer[] = [];
      let size = 0;
      stream?.on('data', (chunk: Buffer) => {
        size += chunk.byteLength;
        if (size > MOST_OUTPUT_BYTES) end(new TooMuchOutput());
        else chunks.push(chunk);
      });
      return (): string => Buffer.concat(chunks).toString('latin1');
    });
    child.on('error', (error) => (failure ??= error));
    child.on('close', (exitCode, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (killedBy !== null) failure ??= new Error(`git was ended by ${killedBy}`);
      const said = errors?.() ?? '';
      if (exitCode !== 0 && ranOutOfMemory(said)) failure ??= new OutOfMemory();
      if (failure !== undefined) reject(failure);
      else resolve({ exitCode: exitCode ?? -1, output: output?.() ?? '', errors: said });
    });
    // It may exit before it has read all of it.
    child.stdin?.on('error', () => {});
    if (input === undefined || typeof input === 'string') child.stdin?.end(input);
    else if (child.stdin !== null) Readable.from(input).on('error', end).pipe(child.stdin);
  });
}

/**
 * Runs git without a repository, and finds none.
 * @param environment of a person whose own settings are to count
 */
export const runGitAlone = (
  words: readonly string[],
  {
    input,
    environment,
  }: Pick<NativeOptions, 'input'> & { readonly environment?: NodeJS.ProcessEnv },
): Promise<NativeAnswer> =>
  collected(
    spawn('git', words, {
      cwd: '/',
      env: { ...ENVIRONMENT, GIT_DIR: '/dev/null', ...environment },
      detached: true,
    }),
    undefined,
    { input },
  );

let version: Promise<string | undefined> | undefined;

/** What git says of its version, looked up once; `undefined` if there is no git. */
export function versionOfGit(): Promise<string | undefined> {
  const ask = (): ChildProcess => spawn('git', ['version'], { cwd: '/', env: ENVIRONMENT });
  return (version ??= collected(ask(), undefined, {}).then(
    ({ output }) => /\d{1,4}(?:\.\d{1,4})+/.exec(output)?.[0],
    () => undefined,
  ));
}

/** Whether this version of git can merge without a work tree. */
export function canMerge(found: string | undefined): boolean {
  const [major = 0, minor = 0] = (found ?? '').split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

export const hasMergingGit = async (): Promise<boolean> => canMerge(await versionOfGit());

/** Why git cannot be used here, as the end of a sentence; `undefined` if it can. */
export async function lackOfGit(): Promise<string | undefined> {
  const found = await versionOfGit();
  if (canMerge(found)) return undefined;
  return found === undefined ? 'its machine has no git' : `its machine has git ${found}`;
}

/** @throws {MergeRejected} if there is no git that can merge */
export async function requireMergingGit(): Promise<void> {
  const lack = await lackOfGit();
  if (lack === undefined) return;
  throw new MergeRejected(
    `Issuewright merges with git ${OLDEST.join('.')} or newer, and ${lack}. ` +
      'The operator can install it. Until then, merge the base branch into the branch by hand, and push.',
  );
}

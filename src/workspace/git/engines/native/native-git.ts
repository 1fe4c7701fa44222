// Git itself, for what isomorphic-git cannot do. It reads and writes one git directory on disk. It gets no
// credentials, reaches no network, and follows no settings but those given here.
import { execFile } from 'node:child_process';
import { SYSTEM_PATH } from '../../../../lib/system-path.ts';
import { TellPerson } from '../../../../lib/errors.ts';

const TIME_MS = 60_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** `git merge-tree --write-tree` came with this version. */
const OLDEST = [2, 38] as const;

const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.attributesFile=/dev/null',
  'gc.auto=0',
  'maintenance.auto=false',
  'safe.directory=*',
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
  /** The work tree: git reads its `.gitattributes`, and changes nothing in it. */
  readonly tree: string;
  readonly signal: AbortSignal;
}

export interface NativeAnswer {
  readonly exitCode: number;
  /** What it printed, as latin1: names in git are any bytes. */
  readonly output: string;
  readonly errors: string;
}

/** Runs git in a repository. @throws {Error} if it did not exit by itself: it was stopped, or said too much */
export function runGit(
  { gitdir, tree, signal }: NativePlace,
  ...words: readonly string[]
): Promise<NativeAnswer> {
  const place = { GIT_DIR: gitdir, GIT_WORK_TREE: tree };
  return run(words, { cwd: tree, signal, env: { ...ENVIRONMENT, ...place } });
}

/** The same, for what has to succeed. */
export async function askGit(place: NativePlace, ...words: readonly string[]): Promise<string> {
  const { exitCode, output, errors } = await runGit(place, ...words);
  if (exitCode === 0) return output;
  throw new Error(`git ${words[0] ?? ''} exited with ${exitCode}: ${errors.slice(0, 500)}`);
}

type Options = Pick<Parameters<typeof execFile>[2] & object, 'cwd' | 'signal' | 'env'>;

const run = (words: readonly string[], options: Options): Promise<NativeAnswer> =>
  new Promise((resolve, reject) => {
    const limits = {
      timeout: TIME_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
    } as const;
    execFile(
      'git',
      [...SETTINGS, ...words],
      { ...options, ...limits, encoding: 'latin1' },
      (error, output, errors) => {
        if (error === null) resolve({ exitCode: 0, output, errors });
        else if (typeof error.code === 'number') resolve({ exitCode: error.code, output, errors });
        else reject(error);
      },
    );
  });

let version: Promise<string | undefined> | undefined;

/** What git says of its version, looked up once; `undefined` if there is no git. */
function versionOfGit(): Promise<string | undefined> {
  return (version ??= run(['version'], { env: ENVIRONMENT }).then(
    ({ output }) => /\d+(?:\.\d+)+/.exec(output)?.[0],
    () => undefined,
  ));
}

/** Whether this version of git can merge without a work tree. */
export function canMerge(found: string | undefined): boolean {
  const [major = 0, minor = 0] = (found ?? '').split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

export const hasMergingGit = async (): Promise<boolean> => canMerge(await versionOfGit());

/** @throws {TellPerson} if there is no git that can merge */
export async function requireMergingGit(): Promise<void> {
  const found = await versionOfGit();
  if (canMerge(found)) return;
  throw new TellPerson(
    `Issuewright merges with git ${OLDEST.join('.')} or newer, and its machine has ${found === undefined ? 'no git' : `git ${found}`}. ` +
      'The operator can install it. Until then, merge the base branch into the branch by hand, and push.',
  );
}

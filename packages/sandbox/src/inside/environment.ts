import { basename, dirname, join } from 'node:path';
import { existsSync, lstatSync, readFileSync, realpathSync, rmdirSync, statSync } from 'node:fs';
import { SYSTEM_PATH } from '../../../../src/lib/directories.ts';
import type { BorrowedDirectories, ShellProgram } from '../../../../src/contracts/shell.ts';
import { createHash } from 'node:crypto';
import { unlessItFails } from '../../../../src/lib/errors.ts';
import { unreadablePaths } from './system-mounts.ts';

/** Paths and names inside the sandbox. */
export const INSIDE = {
  workspace: '/workspace',
  home: '/home/agent',
  user: 'agent',
  /** What commands read of the repository. */
  repository: '/run/repository',
} as const;

/** The user and group id inside the sandbox. */
export const USER_ID = '1000';

/**
 * The complete environment of a command. Nothing of the service's own environment is in it.
 * @param toolchains what the operator gives: found before the machine's programs
 * @param own of the service, such as its Node: found if the machine has none
 */
export function cleanEnvironment(
  home: string,
  toolchains: readonly string[],
  own: readonly string[],
): Record<string, string> {
  return {
    PATH: [...toolchains.map(programsIn), ...SYSTEM_PATH, ...own.map(programsIn)].join(':'),
    HOME: home,
    USER: INSIDE.user,
    LOGNAME: INSIDE.user,
    SHELL: shellPath(),
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    // Makes test runners run once, without questions or progress bars.
    CI: 'true',
    // Python writes no caches beside the sources.
    PYTHONDONTWRITEBYTECODE: '1',
    // It uses ptrace, which the filter denies: programs with AddressSanitizer would fail at their end.
    LSAN_OPTIONS: 'detect_leaks=0',
  };
}

const programsIn = (path: string): string => (basename(path) === 'bin' ? path : join(path, 'bin'));

const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/** What runs commands, as commands see it: models write for bash, and machines without it have `sh`. */
export const shellPath = (): string => BASH.find((path) => existsSync(path)) ?? '/bin/sh';

export const shellProgram = (): ShellProgram => (shellPath().endsWith('bash') ? 'bash' : 'sh');

interface Surroundings {
  readonly environment: Readonly<Record<string, string>>;
  /** What the operator adds to that. */
  readonly given: Readonly<Record<string, string>>;
  readonly readOnlyPaths: readonly string[];
}

/**
 * A digest of what commands have besides their workspace: the system, their variables, and when programs were last installed
 * or replaced.
 */
export function digestOfSurroundings({ environment, given, readOnlyPaths }: Surroundings): string {
  const directories = [...(environment['PATH'] ?? '').split(':'), ...readOnlyPaths];
  const changedAt = directories.map(
    (path) => unlessItFails(() => statSync(path, { bigint: true }).mtimeNs.toString()) ?? null,
  );
  const system = unlessItFails(() => readFileSync('/etc/os-release', 'utf8')) ?? null;
  const { platform, arch, version } = process;
  const all = { platform, arch, version, system, environment, given, directories, changedAt };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}

// Directories of a person's folder in the workspace: dependencies that git ignores, so no clone has them.

/** Those that can be mounted now: commands can read them, and the workspace has nothing in their place. */
export const mountable = (
  workspace: string,
  { root, paths }: BorrowedDirectories,
): readonly string[] => {
  const hidden = new Set(unreadablePaths(paths.map((path) => join(root, path))));
  return paths.filter((path) => !hidden.has(join(root, path)) && isFree(workspace, path));
};

/** bubblewrap follows links where it mounts, and a command may have made one. */
const isFree = (workspace: string, path: string): boolean =>
  unlessItFails(() => realpathSync(dirname(join(workspace, path)))) ===
    dirname(join(realpathSync(workspace), path)) &&
  lstatSync(join(workspace, path), { throwIfNoEntry: false }) === undefined;

/** Where the sandbox has directories of its own. */
const TAKEN = /^\/(?:usr|bin|s?bin|lib\w*|etc|dev|proc|sys|run|workspace|home\/agent|var)(?:\/|$)/;

/**
 * Arguments that mount directories. The folder's own path leads to the workspace: programs of a virtual environment, and
 * what was installed in place, are named by it.
 */
export function borrowedMounts(
  { root }: BorrowedDirectories,
  paths: readonly string[],
  { readable, isImage }: { readonly readable: readonly string[]; readonly isImage: boolean },
): string[] {
  const isTaken =
    isImage ||
    TAKEN.test(root) ||
    readable.some((path) => `${path}/`.startsWith(`${root}/`) || `${root}/`.startsWith(`${path}/`));
  return [
    ...(isTaken ? [] : ['--symlink', INSIDE.workspace, root]),
    ...paths.flatMap((path) => ['--ro-bind', join(root, path), join(INSIDE.workspace, path)]),
  ];
}

/** Call once no command runs: removes the directories that bubblewrap mounted them on, which are empty. */
export function removeMountPoints(workspace: string, paths: readonly string[]): void {
  for (const path of paths) unlessItFails(() => rmdirSync(join(workspace, path)));
}

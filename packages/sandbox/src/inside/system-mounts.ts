import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, sep } from 'node:path';
import { unlessItFails } from '../../../../src/lib/errors.ts';

const ROOT_LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

export interface SystemPaths {
  /** Besides /usr: the operator's toolchains and the service's own Node. */
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** Arguments that mount the system's programs and libraries read-only. */
export function systemMounts({ readOnly, hidden }: SystemPaths): string[] {
  const mounted = ['/usr', ...readOnly];
  // The temporary directory holds the workspaces of other sessions.
  const never = [...hidden, tmpdir()];
  return [
    ...bindReadOnly('/usr'),
    ...ROOT_LINKS.flatMap((name) => mountOrLink(`/${name}`)),
    ...readOnly.flatMap(bindReadOnly),
    ...never.filter((path) => isInsideAny(path, mounted)).flatMap(hide),
  ];
}

/** The Node binary that runs this process. */
export const ownNode = (): string => realpathSync(process.execPath);

/**
 * The Node that programs of ours use inside the sandbox: the one of this process, or the machine's if commands cannot
 * see that. Undefined: they see neither.
 */
export const visibleNode = (readOnly: readonly string[]): string | undefined =>
  [ownNode(), '/usr/local/bin/node', '/usr/bin/node'].find(
    (path) => existsSync(path) && isInsideAny(path, ['/usr', ...ownToolchain(), ...readOnly]),
  );

/** The directory of the running Node, if it is outside /usr and every user can enter it. */
export function ownToolchain(): readonly string[] {
  const directory = dirname(ownNode());
  return isInside(directory, '/usr') || !canEveryoneEnter(directory) ? [] : [directory];
}

/** The paths that commands could not read: not there, or in a directory that only its owner can enter. */
export const unreadablePaths = (paths: readonly string[]): readonly string[] =>
  paths.filter(
    (path) => unlessItFails(() => canEveryoneEnter(dirname(realpathSync(path)))) !== true,
  );

/**
 * Whether arguments mount or link something below /tmp. Then nothing of it may last: bubblewrap follows links where it mounts,
 * and a command may have made one.
 */
export const mountsInTemporary = (args: readonly string[]): boolean =>
  args.some((arg, at) => {
    const [first = '', second = ''] = args.slice(at + 1, at + 3);
    const target = arg === '--tmpfs' ? first : /^--(?:ro-bind|bind|symlink)$/.test(arg) && second;
    return target !== false && isInside(target, '/tmp');
  });

const bindReadOnly = (path: string): string[] => ['--ro-bind', path, path];

/** Mounts a root directory, or recreates it as a link if it is one, as on most systems. */
function mountOrLink(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : bindReadOnly(path);
}

const hide = (path: string): string[] => {
  if (!existsSync(path)) return [];
  return statSync(path).isDirectory()
    ? ['--tmpfs', path, '--remount-ro', path]
    : ['--ro-bind', '/dev/null', path];
};

const isInside = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);

const isInsideAny = (path: string, directories: readonly string[]): boolean =>
  directories.some((directory) => isInside(path, directory));

function canEveryoneEnter(directory: string): boolean {
  for (let path = directory; ; path = dirname(path)) {
    if (!isOpen(path)) return false;
    if (path === dirname(path)) return true;
  }
}

function isOpen(path: string): boolean {
  if (process.getuid?.() === 0) return (statSync(path).mode & 0o001) !== 0;
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

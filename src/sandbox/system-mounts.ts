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

const ROOT_LINKS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

export interface SystemPaths {
  /** Beside /usr: toolchains of the operator, and that of the service itself. */
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** Read-only: the system's programs and libraries. */
export function systemMounts({ readOnly, hidden }: SystemPaths): string[] {
  const mounted = ['/usr', ...readOnly];
  // The last one: with it the workspaces of other sessions.
  const never = [...hidden, tmpdir()];
  return [
    ...bindReadOnly('/usr'),
    ...ROOT_LINKS.flatMap((name) => likeTheSystem(`/${name}`)),
    ...readOnly.flatMap(bindReadOnly),
    ...never.filter((path) => liesInAny(path, mounted)).flatMap(hide),
  ];
}

/** The Node that runs. */
export const ownNode = (): string => realpathSync(process.execPath);

/** Whether commands see it at its own path. */
export const isVisible = (path: string, readOnly: readonly string[]): boolean =>
  liesInAny(path, ['/usr', ...ownToolchain(), ...readOnly]);

/** The directory of the running Node, where it lies outside of /usr and everybody can enter it. */
export function ownToolchain(): readonly string[] {
  const directory = dirname(ownNode());
  return liesIn(directory, '/usr') || !everybodyEnters(directory) ? [] : [directory];
}

const bindReadOnly = (path: string): string[] => ['--ro-bind', path, path];

/** On most systems these are links into /usr. */
function likeTheSystem(path: string): string[] {
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

const liesIn = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);

const liesInAny = (path: string, directories: readonly string[]): boolean =>
  directories.some((directory) => liesIn(path, directory));

function everybodyEnters(directory: string): boolean {
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

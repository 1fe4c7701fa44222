import { INSIDE, USER_ID } from './environment.ts';
import type { Limits } from './limits.ts';
import { prlimitArguments } from './limits.ts';

/** Descriptors that bubblewrap is started with, beside the three of every process. */
export const DESCRIPTORS = { status: 3, seccomp: 4 } as const;

export interface Containment {
  readonly workspace: string;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments that mount what is read-only. */
  readonly system: readonly string[];
  /** Arguments that mount /etc. */
  readonly etc: readonly string[];
  readonly limits: Limits;
  /** Arguments that mount what else a command is given. */
  readonly extra?: readonly string[] | undefined;
}

type Option = readonly string[];

const ISOLATION: readonly Option[] = [
  ['--unshare-all'],
  // --unshare-all alone would go on where user namespaces are refused.
  ['--unshare-user'],
  ['--disable-userns'],
  ['--assert-userns-disabled'],
  ['--die-with-parent'],
  ['--new-session'],
  // bubblewrap's own first process would wait for every daemon that the command leaves behind.
  ['--as-pid-1'],
  ['--cap-drop', 'ALL'],
  ['--uid', USER_ID],
  ['--gid', USER_ID],
  ['--hostname', 'sandbox'],
  ['--clearenv'],
];

const PROCESSES: readonly Option[] = [
  ['--proc', '/proc'],
  ['--ro-bind', '/proc/sys', '/proc/sys'],
  // The first process is the one that dies with the service. Whoever wrote to its memory could let it
  // live on: its directory is covered.
  ['--tmpfs', '/proc/1'],
  ['--remount-ro', '/proc/1'],
];

const temporaryFiles = (bytes: number): readonly Option[] => [
  ['--dev', '/dev'],
  ['--size', String(bytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
  ['--remount-ro', '/dev'],
  ['--size', String(bytes), '--perms', '1777', '--tmpfs', '/tmp'],
  ['--size', String(bytes), '--tmpfs', '/run'],
  ['--symlink', '/tmp', '/var/tmp'],
];

/** What follows is the command, to be started as the first process of its namespace. */
export function bubblewrapArguments(containment: Containment): string[] {
  const { workspace, home, environment, system, limits, etc, extra = [] } = containment;
  const options: readonly Option[] = [
    ...ISOLATION,
    ...Object.entries(environment).map(([name, value]) => ['--setenv', name, value]),
    // First, as a toolchain may lie in one of these.
    ...temporaryFiles(limits.temporaryFiles),
    system,
    etc,
    ...PROCESSES,
    ['--bind', home, INSIDE.home],
    ['--bind', workspace, INSIDE.workspace],
    extra,
    // The root itself is a file system in memory.
    ['--remount-ro', '/'],
    ['--chdir', INSIDE.workspace],
    ['--json-status-fd', String(DESCRIPTORS.status)],
    ['--seccomp', String(DESCRIPTORS.seccomp)],
    ['--'],
  ];
  return [...options.flat(), ...prlimitArguments(limits)];
}

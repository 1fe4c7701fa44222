import { INSIDE, USER_ID } from './environment.ts';
import { type SandboxLimits, prlimitArguments } from '../limits.ts';

/** Descriptors that bubblewrap gets besides stdin, stdout and stderr. It waits for a byte on `start`, if told to. */
export const DESCRIPTORS = { status: 3, seccomp: 4, start: 5 } as const;

export interface Containment {
  readonly workspace: string;
  readonly home: string;
  /** Besides what bubblewrap itself is given. Anyone on the machine can read it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Arguments that mount the read-only system directories. */
  readonly system: readonly string[];
  /** Arguments that mount /etc. */
  readonly etc: readonly string[];
  readonly limits: SandboxLimits;
  /** Whether it waits for a byte before anything of the sandbox runs: until it is in a cgroup, or limited from outside. */
  readonly waits: boolean;
  /** Whether its limits are set meanwhile. Otherwise a program of the machine sets them first of all. */
  readonly limitedFromOutside: boolean;
  /** What commands see as /tmp; missing: it is in memory, and empty at first. */
  readonly temporary?: string | undefined;
  /** Arguments for further mounts, such as the egress proxy's socket. */
  readonly extra?: readonly string[] | undefined;
}

type Option = readonly string[];

const ISOLATION: readonly Option[] = [
  ['--unshare-all'],
  // --unshare-all alone does not fail when user namespaces are unavailable.
  ['--unshare-user'],
  ['--disable-userns'],
  ['--assert-userns-disabled'],
  ['--die-with-parent'],
  ['--new-session'],
  // Otherwise bubblewrap's own init would wait for every daemon that the command leaves behind.
  ['--as-pid-1'],
  ['--cap-drop', 'ALL'],
  ['--uid', USER_ID],
  ['--gid', USER_ID],
  ['--hostname', 'sandbox'],
];

const PROCESSES: readonly Option[] = [
  ['--proc', '/proc'],
  ['--ro-bind', '/proc/sys', '/proc/sys'],
  // Process 1 dies with the service. Cover its directory, so that no command can write to its memory
  // and keep it alive.
  ['--tmpfs', '/proc/1'],
  ['--remount-ro', '/proc/1'],
];

const temporaryFiles = (bytes: number, kept: string | undefined): readonly Option[] => [
  ['--dev', '/dev'],
  ['--size', String(bytes), '--perms', '1777', '--tmpfs', '/dev/shm'],
  ['--remount-ro', '/dev'],
  kept === undefined
    ? ['--size', String(bytes), '--perms', '1777', '--tmpfs', '/tmp']
    : ['--bind', kept, '/tmp'],
  ['--size', String(bytes), '--tmpfs', '/run'],
  ['--symlink', '/tmp', '/var/tmp'],
];

/** bubblewrap's arguments. Append the command; it becomes process 1 of its namespace. */
export function bubblewrapArguments(containment: Containment): string[] {
  const { workspace, home, environment, system, limits, etc, waits, extra = [] } = containment;
  const { temporary, limitedFromOutside } = containment;
  const options: readonly Option[] = [
    ...ISOLATION,
    ...Object.entries(environment).map(([name, value]) => ['--setenv', name, value]),
    // First, because a toolchain may be inside one of these directories.
    ...temporaryFiles(limits.temporaryFiles, temporary),
    system,
    etc,
    ...PROCESSES,
    ['--bind', home, INSIDE.home],
    ['--bind', workspace, INSIDE.workspace],
    extra,
    // The root itself is an in-memory file system.
    ['--remount-ro', '/'],
    ['--chdir', INSIDE.workspace],
    ['--json-status-fd', String(DESCRIPTORS.status)],
    ['--seccomp', String(DESCRIPTORS.seccomp)],
    waits ? ['--block-fd', String(DESCRIPTORS.start)] : [],
    ['--'],
  ];
  const first = limitedFromOutside ? [] : prlimitArguments(limits, { isByCgroup: waits });
  return [...options.flat(), ...first];
}

// Closes what namespaces leave open and allows the rest. The namespaces are the boundary: an allow-list
// of every call that compilers and test runners need would be wrong with each of their releases.
import {
  allow,
  encode,
  fail,
  ifAnyBit,
  ifEqual,
  ifGreater,
  killProcess,
  loadArchitecture,
  loadHigh,
  loadLow,
  loadNumber,
  unlessEqual,
} from './bpf.ts';
import type { Instruction } from './bpf.ts';
import { AUDIT_ARCHITECTURE, NEWEST_KNOWN, syscallNumber } from './syscalls.ts';
import type { Architecture, Syscall } from './syscalls.ts';

const EPERM = 1;
const ENOMEM = 12;
const ENOSYS = 38;
const EPROTONOSUPPORT = 93;
const EAFNOSUPPORT = 97;

/** Programs probe for these and work without them. */
const NOT_THERE: readonly Syscall[] = [
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  // Its flags are behind a pointer, which a filter cannot read. Libraries fall back to `clone`.
  'clone3',
  'userfaultfd',
  // Memory that belongs to no process and no file system cannot be counted.
  'memfd_create',
  'memfd_secret',
];

const DENIED: readonly Syscall[] = [
  ...(['add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open'] as const),
  // A process that controls the sandbox's process 1 could let it outlive the service.
  ...(['ptrace', 'process_vm_readv', 'process_vm_writev', 'pidfd_getfd', 'kcmp'] as const),
  ...(['setns', 'mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'move_mount'] as const),
  ...(['fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr'] as const),
  ...(['name_to_handle_at', 'open_by_handle_at', 'quotactl', 'quotactl_fd'] as const),
  ...(['fanotify_init', 'acct', 'swapon', 'swapoff', 'reboot', 'kexec_load'] as const),
  ...(['kexec_file_load', 'init_module', 'finit_module', 'delete_module'] as const),
  ...(['iopl', 'ioperm', 'modify_ldt', 'vhangup', 'syslog', 'uselib'] as const),
  ...(['settimeofday', 'clock_settime', 'adjtimex', 'clock_adjtime'] as const),
  ...(['migrate_pages', 'move_pages', 'lookup_dcookie', 'nfsservctl'] as const),
  ...(['semget', 'msgget'] as const),
];

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const IP_PROTOCOLS = { any: 0, icmp: 1, tcp: 6, udp: 17, icmpv6: 58 };

const internetSocket = [
  loadLow(2),
  ...Object.values(IP_PROTOCOLS).flatMap((protocol) => ifEqual(protocol, [allow])),
  fail(EPROTONOSUPPORT),
];

const socket = [
  loadLow(0),
  ...ifEqual(AF_UNIX, [allow]),
  ...ifEqual(AF_INET, internetSocket),
  ...ifEqual(AF_INET6, internetSocket),
  // Routing only: the C library lists the interfaces with it.
  ...ifEqual(AF_NETLINK, [loadLow(2), ...ifEqual(0, [allow]), fail(EPROTONOSUPPORT)]),
  fail(EAFNOSUPPORT),
];

const socketpair = [loadLow(0), ...ifEqual(AF_UNIX, [allow]), fail(EAFNOSUPPORT)];

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const ioctl = [
  loadLow(1),
  ...ifEqual(TIOCSTI, [fail(EPERM)]),
  ...ifEqual(TIOCLINUX, [fail(EPERM)]),
  allow,
];

/** `CLONE_NEW…`: mount, cgroup, UTS, IPC, user, PID, network. */
const NEW_NAMESPACES = 0x7e020000;
const CLONE_NEWTIME = 0x80;
const clone = [loadLow(0), ...ifAnyBit(NEW_NAMESPACES, [fail(EPERM)]), allow];
const unshare = [loadLow(0), ...ifAnyBit(NEW_NAMESPACES | CLONE_NEWTIME, [fail(EPERM)]), allow];

/** A detached segment belongs to no process. This much is enough for PostgreSQL and too little to hide in. */
const MAX_SHARED_SEGMENT = 65_536;
const shmget = [
  loadHigh(1),
  ...ifGreater(0, [fail(ENOMEM)]),
  loadLow(1),
  ...ifGreater(MAX_SHARED_SEGMENT, [fail(ENOMEM)]),
  allow,
];

/** Linux with or without fixed addresses, 32-bit machine names, and the query of the current value. */
const PERSONALITIES = [0, 0x8, 0x20000, 0x20008, 0x40000, 0xffffffff];
const personality = [
  loadLow(0),
  ...PERSONALITIES.flatMap((value) => ifEqual(value, [allow])),
  fail(EPERM),
];

const EXAMINED: readonly (readonly [Syscall, readonly Instruction[]])[] = [
  ['socket', socket],
  ['socketpair', socketpair],
  ['ioctl', ioctl],
  ['clone', clone],
  ['unshare', unshare],
  ['shmget', shmget],
  ['personality', personality],
];

/** The filter for `bwrap --seccomp`. */
export function seccompFilter(architecture: Architecture): Buffer {
  const rule = (name: Syscall, then: readonly Instruction[]): readonly Instruction[] => {
    const number = syscallNumber(name, architecture);
    return number === undefined ? [] : ifEqual(number, then);
  };
  return encode([
    loadArchitecture,
    ...unlessEqual(AUDIT_ARCHITECTURE[architecture], [killProcess]),
    loadNumber,
    // This includes every number of the x32 architecture, which has a high bit set.
    ...ifGreater(NEWEST_KNOWN, [fail(ENOSYS)]),
    ...EXAMINED.flatMap(([name, then]) => rule(name, then)),
    ...NOT_THERE.flatMap((name) => rule(name, [fail(ENOSYS)])),
    ...DENIED.flatMap((name) => rule(name, [fail(EPERM)])),
    allow,
  ]);
}

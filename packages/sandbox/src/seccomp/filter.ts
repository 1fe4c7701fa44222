// Closes what namespaces leave open and allows the rest. The namespaces are the boundary: an allow-list
// of every call that compilers and test runners need would be wrong with each of their releases.

// System call numbers from the kernel's headers; `undefined` if an architecture lacks the call.

export type Architecture = 'x64' | 'arm64';

/** `AUDIT_ARCH_…` */
export const AUDIT_ARCHITECTURE: Readonly<Record<Architecture, number>> = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
};

/** `fchmodat2`, from Linux 6.6: the newest call that the filter knows. */
const NEWEST_KNOWN = 452;

type Numbers = readonly [x64: number, arm64: number | undefined];

const NUMBERS = {
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  clone: [56, 220],
  clone3: [435, 435],
  unshare: [272, 97],
  setns: [308, 268],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
  personality: [135, 92],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  fanotify_init: [300, 262],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  modify_ldt: [154, undefined],
  vhangup: [153, 58],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  uselib: [134, undefined],
} as const satisfies Record<string, Numbers>;

export type Syscall = keyof typeof NUMBERS;

export const syscallNumber = (name: Syscall, architecture: Architecture): number | undefined =>
  NUMBERS[name][architecture === 'x64' ? 0 : 1];

// Classic BPF as seccomp uses it: a program of eight-byte instructions over `struct seccomp_data`.

interface Instruction {
  readonly code: number;
  /** How many instructions to skip if the comparison is true (`jt`) or false (`jf`). */
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_GREATER = 0x25;
const JUMP_SET = 0x45;
const RETURN = 0x06;

const instruction = (code: number, k: number, jt = 0, jf = 0): Instruction => ({
  code,
  jt,
  jf,
  k: k >>> 0,
});

const loadNumber = instruction(LOAD_WORD, 0);
const loadArchitecture = instruction(LOAD_WORD, 4);
/** The lower 32 bits of an argument, which is all the kernel reads of an `int`. */
const loadLow = (argument: number): Instruction => instruction(LOAD_WORD, 16 + 8 * argument);
const loadHigh = (argument: number): Instruction => instruction(LOAD_WORD, 20 + 8 * argument);

const allow = instruction(RETURN, 0x7fff0000);
const killProcess = instruction(RETURN, 0x80000000);
const fail = (errno: number): Instruction => instruction(RETURN, 0x00050000 | errno);

/** Runs `then` if the loaded word equals `value`; otherwise skips it. */
const ifEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_EQUAL, value, 0, skipping(then)),
  ...then,
];

const unlessEqual = (value: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_EQUAL, value, skipping(then), 0),
  ...then,
];

const ifGreater = (value: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_GREATER, value, 0, skipping(then)),
  ...then,
];

/** Runs `then` if the loaded word has any of the bits; otherwise skips it. */
const ifAnyBit = (bits: number, then: readonly Instruction[]): Instruction[] => [
  instruction(JUMP_SET, bits, 0, skipping(then)),
  ...then,
];

function skipping(instructions: readonly Instruction[]): number {
  if (instructions.length > 255) throw new RangeError('A BPF jump reaches 255 instructions.');
  return instructions.length;
}

/** The program in the kernel's binary form, little-endian. */
function encode(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, { code, jt, jf, k }] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(jt, 8 * index + 2);
    bytes.writeUInt8(jf, 8 * index + 3);
    bytes.writeUInt32LE(k, 8 * index + 4);
  }
  return bytes;
}

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

// System call numbers from the kernel's headers; `undefined` if an architecture lacks the call.

export type Architecture = 'x64' | 'arm64';

/** `AUDIT_ARCH_…` */
export const AUDIT_ARCHITECTURE: Readonly<Record<Architecture, number>> = {
  x64: 0xc000003e,
  arm64: 0xc00000b7,
};

/** `fchmodat2`, from Linux 6.6: the newest call that the filter knows. */
export const NEWEST_KNOWN = 452;

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

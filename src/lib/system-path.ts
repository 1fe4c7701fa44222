/** Where the system keeps its programs. The last one is NixOS's only such place. */
export const SYSTEM_PATH = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/run/current-system/sw/bin',
] as const;

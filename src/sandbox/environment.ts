import { basename, join } from 'node:path';

/** Where things are inside. */
export const INSIDE = { workspace: '/workspace', home: '/home/agent', user: 'agent' } as const;

/** Of user and group, inside. */
export const USER_ID = '1000';

const SYSTEM_PATH = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
] as const;

/** All that a command finds in its environment: nothing of the service's own. */
export function cleanEnvironment(
  home: string,
  toolchains: readonly string[],
): Record<string, string> {
  const own = toolchains.map((path) => (basename(path) === 'bin' ? path : join(path, 'bin')));
  return {
    PATH: [...own, ...SYSTEM_PATH].join(':'),
    HOME: home,
    USER: INSIDE.user,
    LOGNAME: INSIDE.user,
    SHELL: '/bin/sh',
    TMPDIR: '/tmp',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    // Test runners then run once, ask nothing, and leave colours and progress bars out.
    CI: 'true',
    NO_COLOR: '1',
  };
}

import { basename, join } from 'node:path';
import { existsSync } from 'node:fs';
import { SYSTEM_PATH } from '../../lib/system-path.ts';
import type { ShellProgram } from '../../contracts/shell.ts';

/** Paths and names inside the sandbox. */
export const INSIDE = { workspace: '/workspace', home: '/home/agent', user: 'agent' } as const;

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
  };
}

const programsIn = (path: string): string => (basename(path) === 'bin' ? path : join(path, 'bin'));

const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/** What runs commands, as commands see it: models write for bash, and machines without it have `sh`. */
export const shellPath = (): string => BASH.find((path) => existsSync(path)) ?? '/bin/sh';

export const shellProgram = (): ShellProgram => (shellPath().endsWith('bash') ? 'bash' : 'sh');

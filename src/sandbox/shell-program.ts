import { existsSync } from 'node:fs';
import type { ShellProgram } from '../contracts/shell.ts';

const BASH = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

/** What runs commands, as commands see it: models write for bash, and machines without it have `sh`. */
export const shellPath = (): string => BASH.find((path) => existsSync(path)) ?? '/bin/sh';

export const shellProgram = (): ShellProgram => (shellPath().endsWith('bash') ? 'bash' : 'sh');

// What the searches are measured against: ripgrep, or git if ripgrep is not installed.
import { spawnSync } from 'node:child_process';

export interface Peer {
  readonly name: string;
  grep(pattern: string, root: string): void;
  find(glob: string, root: string): void;
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Ends in an error unless it ended with one of these codes: no match is 1. */
function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, maxBuffer: MAX_OUTPUT });
  if (error !== undefined || (status !== 0 && status !== 1))
    throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? status}`);
}

const RIPGREP: Peer = {
  name: 'ripgrep',
  grep: (pattern, root) => run('rg', ['--no-heading', '--line-number', pattern, './'], root),
  find: (glob, root) => run('rg', ['--files', '--glob', glob, './'], root),
};

const GIT: Peer = {
  name: 'git (ripgrep is not installed: its ratios say less)',
  grep: (pattern, root) =>
    run('git', ['grep', '--untracked', '--line-number', '--perl-regexp', pattern], root),
  find: (glob, root) =>
    run('git', ['ls-files', '--others', '--exclude-standard', `:(glob)${glob}`], root),
};

export const findPeer = (): Peer => (spawnSync('rg', ['--version']).status === 0 ? RIPGREP : GIT);

import { execFile } from 'node:child_process';
import path from 'node:path';

/** Of a program that hangs, on the slowest machine. */
const LIMIT_MS = 240_000;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HowToRun {
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** A script for `sh` that runs first, as root and with mounts of its own. */
  readonly machine?: string | undefined;
}

/** Runs `issuewright` to its end. */
export function runProgram(
  words: readonly string[],
  { environment, directory, machine }: HowToRun,
): Promise<Ended> {
  const own = [process.execPath, path.resolve('bin/issuewright.js'), ...words];
  const [file = '', ...args] =
    machine === undefined
      ? own
      : [
          'unshare',
          '--mount',
          '--propagation',
          'private',
          'sh',
          '-ec',
          `${machine}\nexec "$@"`,
          'sh',
          ...own,
        ];
  return new Promise((resolve) => {
    const options = { timeout: LIMIT_MS, cwd: directory, env: { ...environment } };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : Number.NaN;
      resolve({ code, stdout, stderr });
    });
    // A program that reads its input gets none.
    child.stdin?.end();
  });
}

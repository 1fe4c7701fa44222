// Runs the machine's git without ever reading the machine's git configuration.
import { spawn } from 'node:child_process';

/** Directories in which systems install git. */
const GIT_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin';

export class GitFailed extends Error {
  readonly exitCode: number | null;
  readonly stderr: string;

  constructor(args: readonly string[], exitCode: number | null, stderr: string) {
    super(`git ${args.join(' ')} ended with ${exitCode ?? 'a signal'}: ${stderr.trim()}`);
    this.name = 'GitFailed';
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

export interface Signature {
  readonly name: string;
  readonly email: string;
}

/** The complete environment of a git process. */
export function gitEnvironment(who: Signature): Record<string, string> {
  return {
    PATH: GIT_PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: who.name,
    GIT_AUTHOR_EMAIL: who.email,
    GIT_COMMITTER_NAME: who.name,
    GIT_COMMITTER_EMAIL: who.email,
  };
}

export const GITHUB_SIGNATURE: Signature = { name: 'GitHub', email: 'noreply@github.com' };

export interface GitOptions {
  readonly input?: string | Buffer;
  readonly as?: Signature;
  /** Added to the environment of git. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Resolves with the bytes of standard output. Rejects with GitFailed if the exit code is not 0. */
export function gitBytes(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd: directory,
      env: { ...gitEnvironment(options.as ?? GITHUB_SIGNATURE), ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.stdin.on('error', () => undefined); // git may exit before it has read everything
    child.stdin.end(options.input ?? '');
    child.on('error', (error) => reject(new GitFailed(args, null, error.message)));
    child.on('close', (code) => {
      if (code === 0) resolve(Buffer.concat(output));
      else reject(new GitFailed(args, code, Buffer.concat(errors).toString()));
    });
  });
}

export async function git(
  directory: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await gitBytes(directory, args, options)).toString();
}

// A lock that the kernel keeps: it ends with the last process that holds its descriptor, however that ends.
import { spawn } from 'node:child_process';
import { close, fstat, open } from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from '../../../../lib/errors.ts';
import { SYSTEM_PATH } from '../../../../lib/directories.ts';

export interface FileLock {
  /** Processes that get this descriptor hold the lock too. */
  readonly descriptor: number;
  release(): Promise<void>;
}

export interface LockRequest {
  readonly signal: AbortSignal;
  /** How long to wait for others. */
  readonly seconds: number;
}

/** What `flock` answers if another holds the lock. */
const HELD = 1;

/**
 * Locks a file, which is made if it is not there. Whoever holds the lock may remove it: then the next in turn locks another.
 * Answers `undefined` if another process or thread holds the lock for too long.
 */
export async function lockFile(path: string, request: LockRequest): Promise<FileLock | undefined> {
  for (;;) {
    const lock = await lockOnce(path, request);
    if (lock === undefined || (await isAt(path, lock.descriptor))) return lock;
    await lock.release();
  }
}

async function lockOnce(
  path: string,
  { signal, seconds }: LockRequest,
): Promise<FileLock | undefined> {
  signal.throwIfAborted();
  const descriptor = await promisify(open)(path, 'a', 0o600);
  const release = (): Promise<void> => promisify(close)(descriptor);
  let isLocked = false;
  try {
    // `flock` ends, and leaves the lock with the open file, which is ours too.
    const words = ['--exclusive', '--timeout', String(seconds), '3'];
    const exitCode = await flock(words, signal, descriptor);
    if (exitCode !== 0 && exitCode !== HELD) throw new Error(`flock exited with ${exitCode}`);
    isLocked = exitCode === 0;
    return isLocked ? { descriptor, release } : undefined;
  } finally {
    if (!isLocked) await release();
  }
}

/** Whether the file is still there, and not removed by the one that had the lock before. */
async function isAt(path: string, descriptor: number): Promise<boolean> {
  const [ours, there] = await Promise.all([
    promisify(fstat)(descriptor),
    stat(path).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error;
    }),
  ]);
  return there?.ino === ours.ino && there.dev === ours.dev;
}

/** Whether there is a program `flock`: other systems than Linux have none. */
export async function canLock(): Promise<boolean> {
  const { signal } = new AbortController();
  return flock(['--version'], signal).then(
    (exitCode) => exitCode === 0,
    () => false,
  );
}

const flock = (words: readonly string[], signal: AbortSignal, descriptor?: number) =>
  new Promise<number | null>((resolve, reject) => {
    const env = { PATH: SYSTEM_PATH.join(':'), LC_ALL: 'C' };
    const kept = descriptor === undefined ? [] : [descriptor];
    const child = spawn('flock', words, { env, stdio: ['ignore', 'ignore', 'ignore', ...kept] });
    const stop = (): void => void child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    let failure: Error | undefined;
    child.on('error', (error) => (failure = error));
    child.on('close', (exitCode) => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      else if (failure !== undefined) reject(failure);
      else resolve(exitCode);
    });
  });

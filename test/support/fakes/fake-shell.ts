// A shell for tests of what is above it: `sh -c`, without any containment. What it does is held to the
// contract of the real ones.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { CommandDone, CommandRequest, Shell } from '../../../src/contracts/shell.ts';

const MAX_OUTPUT = 4 * 1024 * 1024;
const KEPT = 100_000;

/** Runs one command after the other in `directory`. */
export function fakeShell(directory: string): Shell {
  let previous: Promise<unknown> = Promise.resolve();
  return {
    run: (request) => {
      const done = previous.then(() => run(directory, request));
      previous = done.catch(() => {});
      return done;
    },
  };
}

function run(root: string, request: CommandRequest): Promise<CommandDone> {
  const { command, directory, timeoutMs, signal, onOutput } = request;
  signal.throwIfAborted();
  const begun = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<CommandDone>();
  const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
    cwd: join(root, directory),
    detached: true,
    env: { PATH: process.env['PATH'], HOME: '/tmp' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = Buffer.alloc(0);
  let ended: CommandDone['ended'] = 'exited';
  const kill = (why: CommandDone['ended']): void => {
    ended = why;
    killGroup(child.pid);
  };
  const hear = (chunk: Buffer): void => {
    output = Buffer.concat([output, chunk]);
    onOutput?.(chunk.toString());
    if (output.byteLength > MAX_OUTPUT) kill('output');
  };
  child.stdout.on('data', hear);
  const timer = setTimeout(() => kill('timeout'), timeoutMs);
  const onAbort = (): void => kill('exited');
  signal.addEventListener('abort', onAbort);
  child.once('error', reject);
  // What it left behind dies with it, and then its pipes close.
  child.once('exit', () => killGroup(child.pid));
  child.once('close', (code, killedBy) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    if (signal.aborted) reject(reasonOf(signal));
    const exitCode = code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
    resolve({
      ended,
      exitCode: ended === 'exited' ? exitCode : null,
      output: partsOf(output),
      durationMs: performance.now() - begun,
      disallowedHosts: [],
    });
  });
  return promise;
}

const reasonOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error('aborted');

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // nothing of it runs any more
  }
}

function partsOf(output: Buffer): CommandDone['output'] {
  if (output.byteLength <= 2 * KEPT) return { head: output.toString(), tail: '', left: 0 };
  return {
    head: output.subarray(0, KEPT).toString(),
    tail: output.subarray(-KEPT).toString(),
    left: output.byteLength - 2 * KEPT,
  };
}

import type { Readable } from 'node:stream';
import { boundedTimeout } from '../limits.ts';
import { OutputKeeper } from './output.ts';
import type { CommandDone, CommandRequest, Overrun } from '../../contracts/shell.ts';

/** A running command. */
export interface Started {
  /** stdout and stderr. Ends when the last writer has closed it. */
  readonly output: Readable;
  /**
   * The exit code, or `null` if it was killed. Resolves when none of its processes is left.
   * @throws {SandboxBroken} if it could not be started
   */
  readonly ended: Promise<number | null>;
  /** Kills all its processes. May be called at any time. */
  kill(): void;
  /** Starts to watch its memory and disk. Returns the function that ends the watch. */
  watch(onOverrun: (why: Overrun) => void): () => Promise<void>;
}

type Supervised = Pick<CommandRequest, 'timeoutMs' | 'signal' | 'onOutput'>;

/**
 * Waits until a command ends. Kills it when it exceeds its time, its output or another limit.
 * @throws the signal's reason, once the command is dead
 */
export async function supervise(
  started: Started,
  { timeoutMs, signal, onOutput }: Supervised,
  maxOutput: number,
): Promise<Omit<CommandDone, 'disallowedHosts' | 'notPublicHosts'>> {
  const startedAt = performance.now();
  const keeper = new OutputKeeper(onOutput);
  let overrun: Overrun | undefined;
  const end = (why: Overrun): void => {
    overrun ??= why;
    started.kill();
  };
  const abort = (): void => started.kill();
  const timer = setTimeout(() => end('timeout'), boundedTimeout(timeoutMs));
  const stopWatching = started.watch(end);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  started.output.on('error', () => started.output.destroy());
  started.output.on('data', (chunk: Buffer) => {
    if (overrun === 'output') return;
    keeper.take(chunk);
    if (keeper.bytes > maxOutput) end('output');
  });
  try {
    const [exitCode] = await Promise.all([started.ended, endOf(started.output)]);
    const durationMs = performance.now() - startedAt;
    signal.throwIfAborted();
    return {
      ended: overrun ?? 'exited',
      exitCode: overrun === undefined ? exitCode : null,
      output: keeper.finish(),
      durationMs,
    };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
    await stopWatching();
  }
}

const endOf = (stream: Readable): Promise<void> =>
  new Promise((resolve) => {
    stream.once('close', resolve);
  });

import type { Readable } from 'node:stream';
import { boundedTimeout } from '../limits.ts';
import type {
  CommandDone,
  CommandRequest,
  Overrun,
  CommandOutput,
} from '../../../../src/contracts/shell.ts';

/** A running command. */
export interface StartedCommand {
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

type SupervisedCommand = Pick<CommandRequest, 'timeoutMs' | 'longestMs' | 'signal' | 'onOutput'>;

/**
 * Waits until a command ends. Kills it when it exceeds its time, its output or another limit.
 * @throws the signal's reason, once the command is dead
 */
export async function supervise(
  started: StartedCommand,
  { timeoutMs, longestMs, signal, onOutput }: SupervisedCommand,
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
  const timer = setTimeout(() => end('timeout'), boundedTimeout(timeoutMs, longestMs));
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

const HEAD_BYTES = 16_384;
const TAIL_BYTES = 16_384;

/** Keeps the beginning and the end of an output, and counts the bytes between. */
export class OutputKeeper {
  private readonly decoder = new TextDecoder();
  private readonly stream: ((text: string) => void) | undefined;
  private head = Buffer.alloc(0);
  private tail = Buffer.alloc(0);
  private total = 0;

  constructor(stream?: (text: string) => void) {
    this.stream = stream;
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.total;
  }

  take(chunk: Buffer): void {
    this.total += chunk.length;
    const room = HEAD_BYTES - this.head.length;
    if (room > 0) this.head = Buffer.concat([this.head, chunk.subarray(0, room)]);
    if (chunk.length > room) this.keepTail(chunk.subarray(Math.max(0, room)));
    this.pass(this.decoder.decode(chunk, { stream: true }));
  }

  /** Call once, when no more comes. */
  finish(): CommandOutput {
    this.pass(this.decoder.decode());
    const tail = this.tail.subarray(Math.max(0, this.tail.length - TAIL_BYTES));
    if (this.head.length + tail.length === this.total)
      return { head: Buffer.concat([this.head, tail]).toString(), tail: '', left: 0 };
    const head = withoutBrokenEnd(this.head);
    const end = withoutBrokenStart(tail);
    return {
      head: head.toString(),
      tail: end.toString(),
      left: this.total - head.length - end.length,
    };
  }

  private keepTail(chunk: Buffer): void {
    const kept = Buffer.concat([this.tail, chunk.subarray(-TAIL_BYTES)]);
    // Copy rarely: most chunks are small.
    this.tail = kept.length > 4 * TAIL_BYTES ? Buffer.from(kept.subarray(-TAIL_BYTES)) : kept;
  }

  private pass(text: string): void {
    if (text !== '') this.stream?.(text);
  }
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** A UTF-8 character has at most three continuation bytes. */
function withoutBrokenEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > bytes.length - 3 && isContinuation(bytes[end - 1])) end -= 1;
  const lead = bytes[end - 1] ?? 0;
  const isWhole = end - 1 + lengthOfCharacter(lead) <= bytes.length;
  return isWhole ? bytes : bytes.subarray(0, end - 1);
}

/** In UTF-8, by its first byte. */
function lengthOfCharacter(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

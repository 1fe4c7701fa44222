import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { waitFor } from './github/wait-for.ts';

const LAUNCHER = fileURLToPath(new URL('../../../bin/issuewright.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const LOG_TIMEOUT_MS = 240_000;
/** The log line of a service that is listening. */
const READY = 'Issuewright is ready';

/** The shipped service as a child process, configured only by its environment. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  /** What it writes to its log. */
  readonly #outputs: readonly (Readable | null)[];
  readonly #lines: string[] = [];
  readonly #listeners = new Set<() => void>();

  private constructor(child: ChildProcess, outputs: readonly (Readable | null)[]) {
    this.#child = child;
    this.#outputs = outputs;
  }

  /**
   * It is not ready yet. `logFile`: it writes its log there, as with `>>` in a shell. `cwd`: where it starts, and reads
   * an `.env` file if there is one; by default where this process did.
   */
  static spawn(
    environment: Record<string, string>,
    command = 'start',
    options: readonly string[] = [],
    logFile?: string,
    cwd?: string,
  ): ServiceProcess {
    const start = (output: 'pipe' | number): ChildProcess =>
      spawn(process.execPath, [LAUNCHER, command, ...options], {
        env: environment,
        ...(cwd === undefined ? {} : { cwd }),
        stdio: ['ignore', output, output],
      });
    if (logFile === undefined) {
      const child = start('pipe');
      return new ServiceProcess(child, [child.stdout, child.stderr]);
    }
    const file = openSync(logFile, 'a');
    const { size } = statSync(logFile);
    const child = start(file);
    closeSync(file);
    return new ServiceProcess(child, [appended(logFile, size, child)]);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The log so far, one JSON object per line. */
  get log(): string {
    return this.#lines.join('\n');
  }

  /** Resolves with the first matching line at index `from` or later. */
  untilLogged(pattern: RegExp, { from = 0, timeoutMs = LOG_TIMEOUT_MS } = {}): Promise<string> {
    const listen = (listener: () => void): (() => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    };
    const find = () => this.#lines.slice(from).find((line) => pattern.test(line));
    return waitFor(listen, find, { what: `${String(pattern)} in the log\n${this.log}`, timeoutMs });
  }

  /** Number of log lines so far. */
  get lines(): number {
    return this.#lines.length;
  }

  /** Call it at once. Rejects if the service ends before. */
  untilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(timer);
        reject(new Error(`the service did not start: ${why}\n${this.log}`));
      };
      const timer = setTimeout(() => {
        this.#child.kill('SIGKILL');
        fail(`it was not ready after ${START_TIMEOUT_MS / 1000} s`);
      }, START_TIMEOUT_MS);
      this.#child.once('error', (error) => fail(error.message));
      // Once its log is whole.
      this.#child.once('close', (code, signal) => fail(`it ended with ${signal ?? code}`));
      for (const stream of this.#outputs) {
        if (stream === null) continue;
        createInterface({ input: stream }).on('line', (line) => {
          this.#lines.push(line);
          for (const listener of this.#listeners) listener();
          if (!line.includes(READY)) return;
          clearTimeout(timer);
          resolve();
        });
      }
    });
  }

  /**
   * Stops the service at once (`SIGINT`), or as those who replace it do (`SIGTERM`): sessions may finish their step.
   * Resolves with its exit code.
   */
  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<number | null> {
    return this.#end(signal);
  }

  /** Resolves with its exit code when it has ended; null: it was killed. */
  async ended(): Promise<number | null> {
    if (this.#isRunning) await once(this.#child, 'exit');
    return this.#child.exitCode;
  }

  /** Kills the service, as a power cut would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  get #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.#isRunning) {
      const exited = once(this.#child, 'exit');
      this.#child.kill(signal);
      await exited;
    }
    return this.#child.exitCode;
  }
}

/** What comes to a file beyond `size` bytes, until the process has ended. */
function appended(file: string, size: number, { pid }: ChildProcess): Readable | null {
  const args = [`--bytes=+${size + 1}`, '--follow', `--pid=${pid}`, file];
  return spawn('tail', args, { stdio: ['ignore', 'pipe', 'ignore'] }).stdout;
}

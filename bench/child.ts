import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A process that answers each message with one. */
export class Child {
  readonly #process: ChildProcess;

  /** @param environment added to that of this process */
  constructor(file: URL, args: readonly string[] = [], environment: Record<string, string> = {}) {
    this.#process = fork(file, args, {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...environment },
    });
  }

  get pid(): number {
    if (this.#process.pid === undefined) throw new Error('the process did not start');
    return this.#process.pid;
  }

  /** The next message. @throws {Error} if the process ends before */
  async said(): Promise<unknown> {
    const heard = new AbortController();
    const { signal } = heard;
    try {
      return await Promise.race([
        once(this.#process, 'message', { signal }).then(([message]: unknown[]) => message),
        once(this.#process, 'exit', { signal }).then(([code]: unknown[]) => {
          throw new Error(`a process of the bench ended with ${String(code)}`);
        }),
      ]);
    } finally {
      heard.abort();
    }
  }

  tell(message: object | string): void {
    this.#process.send(message);
  }

  async ask(order: object): Promise<unknown> {
    this.tell(order);
    return this.said();
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }
}

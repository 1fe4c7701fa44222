import type { Worker } from 'node:worker_threads';
import { cutCharacters } from '../../lib/text.ts';
import { startWorkerThread } from '../../lib/worker-thread.ts';
import { dialectsOf, isTemplate, type Dialect } from './dialect.ts';

const MAX_CHARACTERS = 300_000;
const MAX_FAULT_CHARACTERS = 300;
const MAX_MS = 1000;
const MAX_IDLE_MS = 5000;
const MAX_HEAP_MB = 128;

export interface SyntaxQuestion {
  readonly id: number;
  readonly dialects: readonly Dialect[];
  readonly before: string | undefined;
  readonly after: string;
}

export interface SyntaxAnswer {
  readonly id: number;
  readonly fault: string | undefined;
}

/**
 * A warning line if a change broke the syntax of a file; empty if the syntax is correct, or was wrong
 * before. Must not throw; returns within about a second.
 * @param before `undefined` if there was no file
 */
export async function syntaxWarning(
  path: string,
  before: string | undefined,
  after: string,
): Promise<string> {
  const dialects = dialectsOf(path);
  const isLong = after.length + (before?.length ?? 0) > MAX_CHARACTERS;
  if (dialects.length === 0 || isLong || (before === undefined && isTemplate(dialects, after)))
    return '';
  if (thread === undefined || thread.isOver) thread = new SyntaxThread();
  const fault = await thread.ask({ dialects, before, after });
  if (fault === undefined) return '';
  return `\nWarning: the file does not parse now: ${cutCharacters(fault, MAX_FAULT_CHARACTERS, '…')}`;
}

let thread: SyntaxThread | undefined;

/**
 * Runs third-party parsers on untrusted texts in a thread, which is terminated when they hang or fail, and
 * when it is idle.
 */
class SyntaxThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, (fault: string | undefined) => void>();
  #nextId = 1;
  #idle: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor() {
    this.#worker = startWorkerThread(new URL('./thread.ts', import.meta.url), {
      name: 'syntax',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      env: {},
      // Node's TypeScript parser warns that it is experimental.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker.on('message', ({ id, fault }: SyntaxAnswer) => this.#settle(id, fault));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Also returns `undefined` if the parser hangs or fails. */
  async ask(question: Omit<SyntaxQuestion, 'id'>): Promise<string | undefined> {
    const id = this.#nextId;
    this.#nextId += 1;
    clearTimeout(this.#idle);
    this.#worker.ref();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(), MAX_MS);
      this.#pending.set(id, (fault) => {
        clearTimeout(timer);
        resolve(fault);
      });
      this.#worker.postMessage({ ...question, id });
    });
  }

  #settle(id: number, fault: string | undefined): void {
    this.#pending.get(id)?.(fault);
    this.#pending.delete(id);
    if (this.#pending.size > 0) return;
    this.#worker.unref();
    this.#idle = setTimeout(() => this.#end(), MAX_IDLE_MS).unref();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const settle of this.#pending.values()) settle(undefined);
    clearTimeout(this.#idle);
    void this.#worker.terminate();
  }
}

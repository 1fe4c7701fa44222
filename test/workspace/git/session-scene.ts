// Sessions in processes of their own, on commits that each have something to fetch.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { TestRepository } from '../../support/git-server.ts';
import { RawObjects } from '../../support/raw-objects.ts';
import type { SessionWork } from './session-process.ts';

const FILES = 300;
const PROGRAM = fileURLToPath(new URL('session-process.ts', import.meta.url));

/** A commit whose files differ from those of other numbers; `main` is there now. */
export function commitOf(repository: TestRepository, number: number): string {
  const objects = new RawObjects();
  const names = Array.from({ length: FILES }, (_, at) => `file-${at}.txt`).toSorted();
  const tree = objects.tree(
    ...names.map((name) => ['100644', name, objects.blob(contentIn(name, number))] as const),
  );
  const commit = objects.commit(tree);
  objects.store(repository.directory);
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

export const contentIn = (name: string, number: number): string =>
  `${name} of try ${number}\n`.repeat(50);

/** What a session sends: `opened`, and at its end `done` or `failed: ` with the reason. */
export class SessionProcess {
  readonly messages: string[] = [];
  readonly #child: ChildProcess;

  constructor(work: SessionWork, environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, ...environment };
    this.#child = fork(PROGRAM, [JSON.stringify(work)], { env, execArgv: [] });
    // It sends nothing but texts.
    this.#child.on('message', (message) => this.messages.push(message as string));
  }

  /** Resolves with its last message. */
  async worked(): Promise<string> {
    for (;;) {
      const last = this.messages.at(-1) ?? '';
      if (last === 'done' || last.startsWith('failed')) return last;
      await once(this.#child, 'message');
    }
  }

  /** What it started lives on for as long as that wants to. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

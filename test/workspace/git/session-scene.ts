// Sessions in processes of their own, on commits that each have something to fetch.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from '@jest/globals';
import { sweepWorkspaces } from '../../../src/workspace/work-directory.ts';
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

/** What a session does, in this order. Some merge. */
const PHASES = ['fetch', 'checkout', 'commit', 'push'] as const;
type Phase = (typeof PHASES)[number] | 'merge';

/** What a session sends: `fetching`, perhaps `merging`, `opened`, `pushing`, and at its end `done` or `failed: ` with the reason. */
export class SessionProcess {
  readonly messages: string[] = [];
  readonly #times = new Map<string, number>();
  readonly #child: ChildProcess;

  constructor(work: SessionWork, environment: Readonly<Record<string, string>> = {}) {
    const env = { ...process.env, ...environment };
    this.#child = fork(PROGRAM, [JSON.stringify(work)], { env, execArgv: [] });
    // It sends nothing but texts.
    this.#child.on('message', (message: string) => {
      this.messages.push(message);
      if (!this.#times.has(message)) this.#times.set(message, Date.now());
    });
  }

  /** Resolves with its last message. */
  worked(): Promise<string> {
    return this.#heard('done');
  }

  /** Resolves once it has sent this, or can do no more. */
  async #heard(wanted: string): Promise<string> {
    for (;;) {
      const last = this.messages.at(-1) ?? '';
      if (this.messages.includes(wanted) || last.startsWith('failed')) return last;
      await once(this.#child, 'message');
    }
  }

  /** Resolves at a random moment of a phase, if that takes as long as in another session. */
  async isIn(phase: Phase, durations: Durations): Promise<void> {
    await this.#heard(BEGUN[phase]);
    const before = phase === 'checkout' ? durations.fetch : 0;
    await pause(before + durations[phase] * Math.random());
  }

  /** In milliseconds. Call when it is done. */
  durations(temporary: string): Durations {
    const at = (message: string): number => this.#times.get(message) ?? Number.NaN;
    const fetched = this.#fetchedAt(temporary) ?? Number.NaN;
    return {
      fetch: fetched - at('fetching'),
      checkout: (this.#times.get('merging') ?? at('opened')) - fetched,
      merge: at('opened') - at('merging'),
      commit: at('pushing') - at('opened'),
      push: at('done') - at('pushing'),
    };
  }

  /** Where it was when it was killed; `undefined`: before or after all of them. */
  phase(temporary: string): Phase | undefined {
    if (this.messages.includes('done') || !this.messages.includes('fetching')) return undefined;
    if (this.messages.includes('pushing')) return 'push';
    if (this.messages.includes('opened')) return 'commit';
    if (this.messages.includes('merging')) return 'merge';
    return this.#fetchedAt(temporary) === undefined ? 'fetch' : 'checkout';
  }

  /** When its clone got the first index of a pack, which a fetch makes last. */
  #fetchedAt(temporary: string): number | undefined {
    const own = readdirSync(temporary).filter((name) => name.includes(`-${this.#child.pid}-`));
    const packs = own.flatMap((name) => filesIn(join(temporary, name, 'git/objects/pack')));
    const indexes = packs.filter((path) => path.endsWith('.idx'));
    return indexes.length === 0
      ? undefined
      : Math.min(...indexes.map((path) => statSync(path).ctimeMs));
  }

  /** What it started lives on for as long as that wants to. All that it has sent is heard. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ends = ['exit', 'disconnect'].map((event) => once(this.#child, event));
    this.#child.kill('SIGKILL');
    await Promise.all(ends);
  }
}

function filesIn(directory: string): string[] {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names.map((name) => join(directory, name));
}

type Durations = Readonly<Record<Phase, number>>;

/** What a session has sent when a phase of it begins, or the one before. */
const BEGUN: Readonly<Record<Phase, string>> = {
  fetch: 'fetching',
  checkout: 'fetching',
  merge: 'merging',
  commit: 'opened',
  push: 'pushing',
};

/**
 * What stays of ended sessions when the next service has started. Another process may have got the id of one by now:
 * then its directory stays until a later start, and does not count.
 */
export async function leftAfterSweep(temporary: string): Promise<readonly string[]> {
  const before = readdirSync(temporary).filter(hasOwner);
  await sweepWorkspaces(() => {}, temporary);
  return readdirSync(temporary).filter((name) => !before.includes(name) && !hasOwner(name));
}

const hasOwner = (name: string): boolean => existsSync(`/proc/${name.split('-')[1]}`);

interface Killing {
  /** The directory for temporary files of the sessions. */
  readonly temporary: string;
  /** How often each phase has to be hit. */
  readonly times: number;
  /** Whether the sessions merge. */
  readonly merges?: boolean;
  readonly start: (attempt: number) => SessionProcess;
  /** Looks at what a session left that was killed. */
  readonly look: (attempt: number) => Promise<void>;
}

/** Kills sessions until each phase was hit so often, and after each looks at what is left. */
export async function killInEachPhase(killing: Killing): Promise<void> {
  const { temporary, times, merges = false, start, look } = killing;
  const phases: readonly Phase[] = merges ? [...PHASES, 'merge'] : PHASES;
  const whole = start(0);
  expect(await whole.worked()).toBe('done');
  let durations = whole.durations(temporary);
  await whole.kill();
  const hit: Record<Phase, number> = { fetch: 0, checkout: 0, merge: 0, commit: 0, push: 0 };
  const leastHit = (): Phase =>
    phases.toSorted((one, other) => hit[one] - hit[other])[0] ?? 'fetch';
  for (let attempt = 1; hit[leastHit()] < times; attempt += 1) {
    // Or some phase is over too fast to be hit.
    if (attempt > times * 40) throw new Error(`after ${attempt} tries: ${JSON.stringify(hit)}`);
    const session = start(attempt);
    await session.isIn(leastHit(), durations);
    await session.kill();
    const phase = session.phase(temporary);
    if (phase !== undefined) hit[phase] += 1;
    if (session.messages.includes('done')) durations = session.durations(temporary);
    await look(attempt);
  }
}

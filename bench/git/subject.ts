// One engine in a process of its own, as the service would run it, and what it takes of memory and disk.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Child } from '../child.ts';
import { memoryOf } from '../scale/process.ts';
import { MAX_BYTES, type EngineName } from './engines.ts';
import type { Answer, Order, Place } from './session.ts';

const run = promisify(execFile);
const SETTLED_MS = 500;
const LOOK_MS = 20;

/** MB. */
export interface Memory {
  /** The most that the process had, above what it has when idle. */
  readonly above: number;
  /** The most that its own child processes had. */
  readonly children: number;
}

export class Refused extends Error {}

export class Subject {
  readonly hasCache: boolean;
  readonly #child: Child;
  readonly #directory: string;

  /** @param directory an empty one, for all its files */
  constructor(directory: string, place: Place) {
    this.#directory = directory;
    this.hasCache = place.git.cache !== undefined;
    mkdirSync(directory, { recursive: true });
    const file = new URL('session.ts', import.meta.url);
    this.#child = new Child(file, [JSON.stringify(place)], { TMPDIR: directory });
  }

  /** Milliseconds. @throws {Refused} */
  async open(url: string, commit: string, times = 1): Promise<number> {
    const answer = await this.#ask({ act: 'open', url, commit, times });
    if (!('took' in answer)) throw new Error('that is no answer to open');
    return answer.took;
  }

  async commit(file: string, branch: string) {
    const answer = await this.#ask({ act: 'commit', path: file, branch });
    if (!('looked' in answer)) throw new Error('that is no answer to commit');
    return answer;
  }

  async closeWorkspaces(): Promise<void> {
    await this.#ask({ act: 'close' });
  }

  /** What `act` takes of memory. */
  async memoryOf<T>(act: () => Promise<T>): Promise<{ result: T; memory: Memory }> {
    await pause(SETTLED_MS);
    const { pid } = this.#child;
    // The highest so far is forgotten (proc(5)).
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    const idle = memoryOf(pid).present;
    let children = 0;
    const timer = setInterval(() => (children = Math.max(children, childrenOf(pid))), LOOK_MS);
    try {
      const result = await act();
      const above = memoryOf(pid).most - idle;
      return { result, memory: { above: above / 1024, children: children / 1024 } };
    } finally {
      clearInterval(timer);
    }
  }

  /** MB that its files take on the disk. */
  async disk(): Promise<number> {
    const { stdout } = await run('du', ['-s', '--block-size=1K', this.#directory]);
    return Number.parseInt(stdout, 10) / 1024;
  }

  async end(): Promise<void> {
    await this.#child.close();
  }

  async #ask(order: Order): Promise<Exclude<Answer, { refused: string }>> {
    const answer = (await this.#child.ask(order)) as Answer;
    if ('refused' in answer) throw new Refused(answer.refused);
    return answer;
  }
}

/** kB of all processes below this one that are no threads of it. */
function childrenOf(pid: number): number {
  let sum = 0;
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const below = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim();
      for (const child of below === '' ? [] : below.split(' ').map(Number))
        sum += memoryOf(child).present + childrenOf(child);
    }
  } catch {
    // A process or a thread that has just ended.
  }
  return Number.isNaN(sum) ? 0 : sum;
}

export function subjectFor(engine: EngineName, directory: string, token: string): Subject {
  const place = path.join(directory, engine);
  const cache = { directory: path.join(place, 'cache'), maxBytes: MAX_BYTES };
  const git = { engine, maxBytes: MAX_BYTES, cache: engine === 'native' ? cache : undefined };
  return new Subject(place, { git, token });
}

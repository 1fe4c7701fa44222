// One run of one contender: a process of its own against the stub, and what both saw.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../median.ts';
import { now } from './clock.ts';
import type { Report } from './contend.ts';
import type { Seen } from './stub.ts';
import { FILE_BYTES, pathOf, type Form, type Task } from './task.ts';

export interface Contender {
  readonly key: 'floor' | 'loop' | 'journaled' | 'ai' | 'agents';
  readonly name: string;
  /** Its program, in this folder. */
  readonly file: string;
  readonly form: Form;
}

/** Times in milliseconds, sizes in bytes. A gap: from the end of an answer to the whole next request. */
export interface Measures {
  /** From the start of the process to the end of the last answer. */
  readonly wall: number;
  /** From the start of the process to its first request. */
  readonly first: number;
  readonly gap: number;
  /** The gap without what was spent on the journal in it. */
  readonly ownGap: number;
  /** Gaps of the turns 5 to 15, and of the last 11. */
  readonly earlyGap: number;
  readonly lateGap: number;
  /** Of one turn, and of the whole run. */
  readonly journal: number;
  readonly journalSum: number;
  readonly cpu: number;
  readonly rss: number;
  readonly sent: number;
}

/** The medians over several runs. */
export function middleOf(runs: readonly Measures[]): Measures {
  const of = (name: keyof Measures): number => median(runs.map((run) => run[name]));
  return {
    wall: of('wall'),
    first: of('first'),
    gap: of('gap'),
    ownGap: of('ownGap'),
    earlyGap: of('earlyGap'),
    lateGap: of('lateGap'),
    journal: of('journal'),
    journalSum: of('journalSum'),
    cpu: of('cpu'),
    rss: of('rss'),
    sent: of('sent'),
  };
}

const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0);

export class Stub {
  readonly #process: ChildProcess;
  readonly #url: string;
  #runs = 0;

  private constructor(child: ChildProcess, { port }: AddressInfo) {
    this.#process = child;
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** `turns`: the lengths of the runs that it is to answer. */
  static async start(turns: readonly number[]): Promise<Stub> {
    const child = fork(fileOf('stub.ts'), turns.map(String));
    const [address] = (await once(child, 'message')) as [AddressInfo];
    return new Stub(child, address);
  }

  /** The address for one run. */
  newRun(form: Form, turns: number): { readonly id: string; readonly baseUrl: string } {
    const id = `run-${++this.#runs}`;
    return { id, baseUrl: `${this.#url}/${form}/${turns}/${id}/v1` };
  }

  async seen(run: string): Promise<Seen> {
    const response = await fetch(`${this.#url}/runs/${run}`);
    return (await response.json()) as Seen;
  }

  async close(): Promise<void> {
    this.#process.disconnect();
    await once(this.#process, 'exit');
  }
}

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** @throws {Error} when the contender did not do the whole task */
export async function measure(
  stub: Stub,
  contender: Contender,
  turns: number,
  dataDir: string,
): Promise<Measures> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  try {
    const { id, baseUrl } = stub.newRun(contender.form, turns);
    const started = now();
    const report = await runProcess(contender, { baseUrl, turns, directory, dataDir });
    const seen = await stub.seen(id);
    await verify(contender, turns, seen, directory);
    return evaluate(started, report, seen);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function runProcess({ name, file }: Contender, task: Task): Promise<Report> {
  const child = fork(fileOf(file), [JSON.stringify(task)]);
  let report: Report | undefined;
  child.once('message', (message) => (report = message as Report));
  await once(child, 'exit');
  if (report === undefined) throw new Error(`${name} ended without a report`);
  return report;
}

async function verify(
  { name }: Contender,
  turns: number,
  seen: Seen,
  directory: string,
): Promise<void> {
  const files = await readdir(directory);
  const sizes = await Promise.all(
    Array.from({ length: turns }, async (_none, turn) => {
      const file = path.join(directory, pathOf(turn));
      return files.includes(pathOf(turn)) ? (await stat(file)).size : 0;
    }),
  );
  if (seen.ends.length === turns + 1 && sizes.every((size) => size === FILE_BYTES)) return;
  throw new Error(
    `${name} did not do the task: ${files.length} files and ${seen.arrivals.length} requests for ${turns} turns`,
  );
}

function evaluate(started: number, report: Report, { arrivals, ends, bytes }: Seen): Measures {
  const { prepared, preparedCpu, journal, cpu, rss } = report;
  const clock = started + prepared;
  const gaps = arrivals.slice(1).map((arrival, turn) => arrival - (ends[turn] ?? Number.NaN));
  return {
    wall: (ends.at(-1) ?? Number.NaN) - clock,
    first: (arrivals[0] ?? Number.NaN) - clock,
    gap: median(gaps),
    ownGap: median(gaps.map((gap, turn) => gap - (journal[turn] ?? 0))),
    earlyGap: median(gaps.slice(4, 15)),
    lateGap: median(gaps.slice(-11)),
    journal: journal.length === 0 ? 0 : median(journal),
    journalSum: sum(journal),
    cpu: cpu - preparedCpu,
    rss,
    sent: sum(bytes),
  };
}

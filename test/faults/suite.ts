// Plays the tries of the table, several side by side, and counts what is found.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { attempt, type Attempt } from './attempt.ts';
import type { Length, Row, Try } from './fault.ts';
import type { Finding } from './invariants.ts';
import type { Tally } from './matrix.ts';
import { TALES, type Tale } from './tales.ts';

export interface SuiteOptions {
  readonly rows: readonly Row[];
  /** At most so many of each row, evenly chosen; if omitted, as many as each row needs. */
  readonly tries?: number | undefined;
  /** Stories at once. */
  readonly lanes: number;
  /** The names of the tries; all if omitted. */
  readonly only?: RegExp | undefined;
  readonly tell: (line: string) => void;
}

interface Played {
  readonly row: Row;
  readonly one: Try;
  readonly findings: readonly Finding[];
  readonly happened: boolean;
  readonly seconds: number;
  readonly log: string;
}

/** The first row has no fault: it measures the stories, and has to be all zeros. */
export async function runSuite(options: SuiteOptions): Promise<Tally[]> {
  const { rows, lanes, tell } = options;
  const nothing: Row = {
    fault: 'nothing',
    tries: () => TALES.map((tale) => ({ name: tale.name, tale, arm: async () => async () => {} })),
  };
  const lengths = new Map<Tale, Length>();
  const told = async (row: Row, one: Try): Promise<Played> => {
    const { played, length } = await play(row, one);
    if (row === nothing && length !== undefined) lengths.set(one.tale, length);
    const name = `${row.fault}, ${one.name} (${played.seconds.toFixed(1)} s)`;
    const verdict = played.happened ? '  ok' : 'none';
    tell(`${played.findings.length === 0 ? verdict : 'FAIL'} ${name}`);
    if (row === nothing && length !== undefined) tell(`     ${wordsOf(length)}`);
    for (const { kind, words } of played.findings) tell(`     ${kind}: ${words}`);
    if (played.log !== '') tell(`     log: ${await keptLog(played.log)}`);
    return played;
  };
  const first = await inLanes(lanes, nothing.tries(lengthIn(lengths)), (one) => told(nothing, one));
  const notes = new Map<Row, string>();
  const chosen: { row: Row; one: Try; at: number }[] = [];
  for (const row of rows) {
    const why = await row.skipped?.();
    const { picked, left } = why === undefined ? pick(row, options, lengths) : NONE;
    notes.set(row, why ?? (left === 0 ? '' : `${left} more with FAULT_TRIES=all`));
    chosen.push(...picked.map((one, at) => ({ row, one, at: (at + 0.5) / picked.length })));
  }
  // In some rows the service only waits: others use the processors meanwhile.
  const mixed = chosen.toSorted((one, other) => one.at - other.at);
  const rest = await inLanes(lanes, mixed, ({ row, one }) => told(row, one));
  return [nothing, ...rows].map((row) => tallyOf(row, notes.get(row) ?? '', [...first, ...rest]));
}

const NONE = { picked: [], left: 0 };
/** Of a row that says nothing else. */
const TRIES = 2;

const wordsOf = ({ entries, requests, writes, replies }: Length): string =>
  `${entries} entries, ${requests} requests to GitHub, ${writes} of them writes, ${replies} replies`;

function lengthIn(lengths: ReadonlyMap<Tale, Length>) {
  return (tale: Tale): Length => {
    const length = lengths.get(tale);
    if (length === undefined) throw new Error(`the story "${tale.name}" did not come to its end`);
    return length;
  };
}

function pick(
  row: Row,
  { tries, only }: SuiteOptions,
  lengths: ReadonlyMap<Tale, Length>,
): { readonly picked: readonly Try[]; readonly left: number } {
  const all = row.tries(lengthIn(lengths)).filter(({ name }) => only?.test(name) ?? true);
  const most = tries ?? Math.max(TRIES, row.least ?? 0);
  if (all.length <= most) return { picked: all, left: 0 };
  const picked = Array.from({ length: most }, (_none, at) => {
    return all[Math.floor((at * all.length) / most)]!;
  });
  return { picked, left: all.length - most };
}

async function play(
  row: Row,
  one: Try,
): Promise<{ readonly played: Played; readonly length: Attempt['length'] | undefined }> {
  const begun = performance.now();
  const { length, ...result } = await attempt(one).catch((error: unknown) => {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const findings = [{ kind: 'unfinished', words } as const];
    return { findings, happened: true, length: undefined, log: '' };
  });
  return { played: { row, one, ...result, seconds: (performance.now() - begun) / 1_000 }, length };
}

/** Writes it to a file that stays. Resolves with its path. */
async function keptLog(log: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'iw-fault-log-'));
  const file = path.join(directory, 'services.log');
  await writeFile(file, log);
  return file;
}

function tallyOf(row: Row, note: string, all: readonly Played[]): Tally {
  const played = all.filter((one) => one.row === row);
  const happened = played.filter((one) => one.happened).length;
  const missed = played.length - happened;
  const never = { kind: 'unfinished', words: 'it never happened', attempt: 'all' } as const;
  return {
    fault: row.fault,
    tries: happened,
    note: [note, missed === 0 ? '' : `${missed} did not happen`]
      .filter((one) => one !== '')
      .join('; '),
    findings: [
      ...played.flatMap(({ one, findings }) =>
        findings.map((finding) => ({ ...finding, attempt: one.name })),
      ),
      ...(played.length > 0 && happened === 0 ? [never] : []),
    ],
    seconds: played.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

async function inLanes<T, R>(
  lanes: number,
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<R[]> {
  const left = all.values();
  const done: R[] = [];
  const lane = async (): Promise<void> => {
    for (const one of left) done.push(await work(one));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

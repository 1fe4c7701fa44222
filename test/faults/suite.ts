// Plays the tries of the table, several side by side, and counts what is found.
import { attempt, type Attempt } from './attempt.ts';
import type { Length, Row, Try } from './fault.ts';
import type { Finding } from './invariants.ts';
import type { Tally } from './matrix.ts';
import { TALES, type Tale } from './tales.ts';

export interface SuiteOptions {
  readonly rows: readonly Row[];
  /** At most so many of each row, evenly chosen. */
  readonly tries: number;
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
    for (const { kind, words } of played.findings) tell(`     ${kind}: ${words}`);
    return played;
  };
  const first = await inLanes(lanes, nothing.tries(lengthIn(lengths)), (one) => told(nothing, one));
  const notes = new Map<Row, string>();
  const chosen: { row: Row; one: Try }[] = [];
  for (const row of rows) {
    const why = await row.skipped?.();
    const { picked, left } = why === undefined ? pick(row, options, lengths) : NONE;
    notes.set(row, why ?? (left === 0 ? '' : `${left} more with FAULT_TRIES=all`));
    chosen.push(...picked.map((one) => ({ row, one })));
  }
  const rest = await inLanes(lanes, chosen, ({ row, one }) => told(row, one));
  return [nothing, ...rows].map((row) => tallyOf(row, notes.get(row) ?? '', [...first, ...rest]));
}

const NONE = { picked: [], left: 0 };

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
  if (all.length <= tries) return { picked: all, left: 0 };
  const picked = Array.from({ length: tries }, (_none, at) => {
    return all[Math.floor((at * all.length) / tries)]!;
  });
  return { picked, left: all.length - tries };
}

async function play(
  row: Row,
  one: Try,
): Promise<{ readonly played: Played; readonly length: Attempt['length'] | undefined }> {
  const begun = performance.now();
  const done = (findings: readonly Finding[], happened: boolean, length?: Length) => ({
    played: { row, one, findings, happened, seconds: (performance.now() - begun) / 1_000 },
    length,
  });
  try {
    const { findings, happened, length } = await attempt(one);
    return done(findings, happened, length);
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return done([{ kind: 'unfinished', words }], true);
  }
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

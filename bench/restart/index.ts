// What a process reads that begins while many sessions are open.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { conversationIn } from '../../src/app/run/conversation.ts';
import { JournalTracker } from '../../src/app/service/journal-tracker.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { Journal } from '../../test/support/journal.ts';
import { openSession } from '../loop/our-session.ts';
import { Meter, type Cost } from '../turns/costs.ts';

const SESSIONS = 500;
const TURNS = 100;
const LONG_TURNS = 3_000;
/** As with the usual limit of messages of a conversation. */
const COMPACTED_EVERY = 40;
const ROUNDS = 3;
const BATCH = 300;

const OUTPUT = '  const value = values.find((one) => one.name === name);\n'.repeat(40);

/** A session at work, after so many turns: a reply, and the start and the end of its call. */
async function addSession(store: OpenStore, turns: number): Promise<string> {
  const { id, session } = await openSession(store);
  const journal = new Journal().start().run();
  const call = { tool: 'read_file', arguments: { path: 'src/a.ts' }, result: { output: OUTPUT } };
  for (let turn = 1; turn <= turns; turn += 1) {
    journal.turn({ thought: `Step ${turn}: I **read** the file first.`, calls: [call] });
    if (turn % COMPACTED_EVERY === 0) journal.compacted('Files were read.');
  }
  const entries = journal.entries
    .slice(session.seq)
    .map(({ seq: _seq, at: _at, ...entry }) => entry);
  for (let from = 0; from < entries.length; from += BATCH)
    await store.append(id, entries.slice(from, from + BATCH));
  return id;
}

interface Opening extends Cost {
  /** Milliseconds. */
  readonly time: number;
}

/** Opens each session as a run does that resumes, up to its next request. */
async function open(meter: Meter, store: OpenStore, ids: readonly string[]): Promise<Opening> {
  const before = performance.now();
  const cost = await meter.of(async () => {
    for (const id of ids) {
      const tracker = await JournalTracker.open(store, id, 'nobody');
      JSON.stringify(conversationIn(tracker).messages);
    }
  });
  return { ...cost, time: performance.now() - before };
}

/** What a restart costs while many sessions work. */
export async function benchRestart(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const meter = new Meter();
  const log = pino({ level: 'error' });
  const store = await openStore({ dataDir: path.join(directory, 'data'), log });
  try {
    const many: string[] = [];
    for (let count = 0; count < SESSIONS; count += 1) many.push(await addSession(store, TURNS));
    const long = [await addSession(store, LONG_TURNS)];
    const lines = [`Load of the machine before: ${(loadavg()[0] ?? Number.NaN).toFixed(1)}.`];
    for (let round = 1; round <= ROUNDS; round += 1)
      lines.push(
        `${round}: ${shown(`${SESSIONS} sessions of ${TURNS} turns`, await open(meter, store, many))}; ` +
          shown(`one of ${LONG_TURNS} turns`, await open(meter, store, long)),
      );
    return lines.join('\n');
  } finally {
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const shown = (words: string, { time, cpu, bytes }: Opening): string =>
  `${words}: ${time.toFixed(0)} ms, of these ${cpu.toFixed(0)} ms of CPU, ${(bytes / 1e6).toFixed(1)} MB read`;

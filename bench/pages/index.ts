import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { sessionReader } from '../../src/app/session-reader.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { renderingsOf } from '../../src/tools/define-tool.ts';
import { createPageServer } from '../../src/web/page-server.ts';
import { Journal } from '../../test/support/journal.ts';
import { openSession } from '../loop/our-session.ts';
import { median } from '../median.ts';
import { Meter, type Cost } from '../turns/costs.ts';

/** Entries of the journals. */
const LENGTHS = [50, 500, 3_000];
const ROUNDS = 25;
const WARM_UP = 10;
const TOKEN = 'a-token-of-the-bench';
const HEADERS = { authorization: `Bearer ${TOKEN}` };
/** A reply, and the start and the end of its call. */
const ENTRIES_A_TURN = 3;

const ROWS = {
  cold: 'the page, by a process that has not read the session',
  page: 'the page again',
  earlier: 'the page with the first half of the journal, or the newest part of that half',
  update: 'one turn more, sent to an open page',
} as const;
type Row = keyof typeof ROWS;

interface Sample extends Cost {
  /** Characters of the answer. */
  readonly sent: number;
}

const log = pino({ level: 'error' });

async function serve(store: OpenStore) {
  const renderings = renderingsOf(TOOLS);
  const server = createPageServer({ log, pages: sessionReader(store), token: TOKEN, renderings });
  return { address: await server.listen('127.0.0.1', 0), close: () => server.close() };
}

const OUTPUT = '  const value = values.find((one) => one.name === name);\n'.repeat(40);

/** A session at work with a journal of so many entries, or a few more. */
async function sessionOf(store: OpenStore, length: number) {
  const tracker = await openSession(store);
  const journal = new Journal().start().run();
  const call = { tool: 'read_file', arguments: { path: 'src/a.ts' }, result: { output: OUTPUT } };
  for (let turn = 1; journal.entries.length < length; turn += 1)
    journal.turn({ thought: `Step ${turn}: I **read** the file first.`, calls: [call] });
  for (const { seq: _seq, at: _at, ...entry } of journal.entries.slice(tracker.session.seq))
    await tracker.append(entry);
  return { length, path: `/sessions/${tracker.id}`, last: tracker.session.seq };
}

type Session = Awaited<ReturnType<typeof sessionOf>>;

async function read(address: string): Promise<number> {
  const answer = await fetch(address, { headers: HEADERS });
  if (!answer.ok) throw new Error(`the page answered ${answer.status}`);
  return (await answer.text()).length;
}

/** What an open page gets once it asks for what is new. */
async function readUpdate(address: string): Promise<number> {
  const answer = await fetch(address, { headers: HEADERS });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (/^data: .*\n\n$/m.test(text)) break;
  }
  return text.length;
}

/** What pages of long sessions cost, as ratios to one of a short session. */
export async function benchPages(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const meter = new Meter();
  const store = await openStore({ dataDir: path.join(directory, 'data'), log });
  const server = await serve(store);
  try {
    const sessions: Session[] = [];
    for (const length of LENGTHS) sessions.push(await sessionOf(store, length));
    const load = loadavg()[0] ?? Number.NaN;
    const samples = new Map<string, Sample[]>();
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1)
      for (const session of sessions) {
        const taken = await measure(session, { meter, store, address: server.address });
        if (round < WARM_UP) continue;
        for (const [row, sample] of Object.entries(taken)) {
          const key = `${row} ${session.length}`;
          samples.set(key, [...(samples.get(key) ?? []), sample]);
        }
      }
    return report(samples, load);
  } finally {
    await server.close();
    await store.close();
    await rm(directory, { recursive: true, force: true });
  }
}

interface Place {
  readonly meter: Meter;
  readonly store: OpenStore;
  readonly address: string;
}

async function measure(session: Session, { meter, store, address }: Place) {
  const sample = async (work: () => Promise<number>): Promise<Sample> => {
    let sent = 0;
    const cost = await meter.of(async () => void (sent = await work()));
    return { ...cost, sent };
  };
  const fresh = await serve(store);
  const cold = await sample(() => read(fresh.address + session.path));
  await fresh.close();
  const page = await sample(() => read(address + session.path));
  const half = Math.floor(session.length / 2);
  const earlier = await sample(() => read(`${address}${session.path}?before=${half}`));
  const seen = session.last - ENTRIES_A_TURN;
  const update = await sample(() => readUpdate(`${address}${session.path}/events?after=${seen}`));
  return { cold, page, earlier, update };
}

function report(samples: ReadonlyMap<string, readonly Sample[]>, load: number): string {
  const value = (row: Row, length: number, of: (sample: Sample) => number): number =>
    median((samples.get(`${row} ${length}`) ?? []).map(of));
  const line = (row: Row, unit: string, of: (sample: Sample) => number): string => {
    const base = value(row, LENGTHS[0] ?? Number.NaN, of);
    const cells = LENGTHS.map((length) => {
      const one = value(row, length, of);
      return `${one.toFixed(1)} (${(one / base).toFixed(2)}×)`;
    });
    return `| ${ROWS[row]}, ${unit} | ${cells.join(' | ')} |`;
  };
  return [
    `Medians of ${ROUNDS} rounds; load of the machine before: ${load.toFixed(1)}.`,
    '',
    `| entries | ${LENGTHS.join(' | ')} |`,
    `| --- |${LENGTHS.map(() => ' --- |').join('')}`,
    ...(Object.keys(ROWS) as Row[]).flatMap((row) => [
      line(row, 'CPU ms', ({ cpu }) => cpu),
      line(row, 'kB read', ({ bytes }) => bytes / 1000),
      line(row, 'kB sent', ({ sent }) => sent / 1000),
    ]),
  ].join('\n');
}

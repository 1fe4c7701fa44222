import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { startEmbedded } from '../../src/store/embedded/postgres-server.ts';
import { Child } from '../child.ts';
import { median } from '../median.ts';
import { PER_SECOND, SESSIONS, whileSessionsWork, type SendPaced } from './paced.ts';
import type { Kind } from './payloads.ts';
import type { Order, Sent } from './sender.ts';

const ROUNDS = 5;
const SENDERS = [1, 16, 64];
const MS = 1_500;
const WARM_UP_MS = 1_000;

interface Contender {
  readonly name: string;
  readonly send: (senders: number, ms: number) => Promise<Sent>;
}

interface Figures {
  /** Accepted deliveries, or rows, a second. */
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * How fast deliveries are accepted: ours through the real route, durable, against Probot with an empty handler and
 * against durable inserts of one row. All in turns in one run, on one embedded PostgreSQL.
 */
export async function benchIngest(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const server = await startEmbedded(directory, pino({ level: 'error' }));
  const children: Child[] = [];
  try {
    const { user, host, port, database } = server.connection;
    const url = `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;
    const start = async (file: string, argument = ''): Promise<Child> => {
      const child = new Child(new URL(file, import.meta.url), [argument]);
      children.push(child);
      return child;
    };
    const table = await compare(await contenders(start, url));
    return `${table}\n\n${await paced(start)}`;
  } finally {
    for (const child of children) await child.close();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function contenders(
  start: (file: string, argument?: string) => Promise<Child>,
  url: string,
): Promise<Contender[]> {
  const sender = await start('sender.ts');
  const portOf = async (file: string, argument?: string): Promise<number> =>
    (await (await start(file, argument)).said()) as number;
  const ours = await portOf('ours.ts', url);
  const probot = await portOf('probot.ts');
  const inserts = await start('inserts.ts', url);
  await inserts.said();
  const to = (port: number, kind: Kind) => async (senders: number, ms: number) => {
    const order: Order = { port, kind, senders, ms };
    return (await sender.ask(order)) as Sent;
  };
  return [
    { name: 'bare Probot, an empty handler', send: to(probot, 'issues') },
    { name: 'ours, labels on distinct issues', send: to(ours, 'issues') },
    { name: 'ours, comments on one issue', send: to(ours, 'comments') },
    {
      name: 'durable inserts of one row',
      send: async (senders, ms) => (await inserts.ask({ senders, ms })) as Sent,
    },
  ];
}

async function compare(all: readonly Contender[]): Promise<string> {
  for (const { send } of all) await send(16, WARM_UP_MS);
  const load = loadavg()[0] ?? Number.NaN;
  const lines: string[] = [];
  for (const senders of SENDERS) {
    const rounds = new Map(all.map((one) => [one, [] as Figures[]]));
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [contender, figures] of rounds)
        figures.push(figuresOf(contender, await contender.send(senders, MS)));
    lines.push(...table(senders, rounds));
  }
  return [
    `Medians of ${ROUNDS} rounds of ${MS / 1000} s, in turns; load of the machine before: ${load.toFixed(1)}.`,
    '',
    '| senders |  | a second | of bare Probot | p50 ms | p99 ms |',
    '| --- | --- | --- | --- | --- | --- |',
    ...lines,
  ].join('\n');
}

/** The other side of the goal: how long each takes at a steady pace. */
async function paced(start: (file: string) => Promise<Child>): Promise<string> {
  const sender = await start('sender.ts');
  const send: SendPaced = async (port, { connections, ms, ...pace }) => {
    const order: Order = { port, kind: 'comments', senders: connections, ms, paced: pace };
    return (await sender.ask(order)) as Sent;
  };
  const load = loadavg()[0] ?? Number.NaN;
  const lines = [
    `${PER_SECOND} a second to a whole service while ${SESSIONS} sessions work; load before: ${load.toFixed(1)}.`,
    '',
    '| comments on | accepted a second | p50 ms | p99 ms | worst ms | requests of the model a second |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const name of ['all sessions', 'one session'] as const) {
    const { turns, ...sent } = await whileSessionsWork(name, send);
    const { perSecond, p50, p99 } = figuresOf({ name }, sent);
    lines.push(
      `| ${name} | ${perSecond.toFixed(0)} | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${Math.max(...sent.took).toFixed(1)} | ${((turns / sent.elapsed) * 1000).toFixed(1)} |`,
    );
  }
  return lines.join('\n');
}

function figuresOf({ name }: Pick<Contender, 'name'>, { took, elapsed, refused }: Sent): Figures {
  if (refused > 0) throw new Error(`${name}: ${refused} deliveries were not accepted`);
  const sorted = took.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: (took.length / elapsed) * 1000, p50: at(0.5), p99: at(0.99) };
}

function* table(senders: number, rounds: ReadonlyMap<Contender, readonly Figures[]>) {
  const middle = (figures: readonly Figures[], name: keyof Figures): number =>
    median(figures.map((one) => one[name]));
  const [probot = []] = rounds.values();
  for (const [{ name }, figures] of rounds) {
    // Of one round each: the load of the machine changes between rounds.
    const ratio = median(
      figures.map(({ perSecond }, round) => perSecond / (probot[round]?.perSecond ?? Number.NaN)),
    );
    const cells = [
      senders,
      name,
      Math.round(middle(figures, 'perSecond')).toLocaleString('en'),
      `${ratio.toFixed(2)}×`,
      middle(figures, 'p50').toFixed(1),
      middle(figures, 'p99').toFixed(1),
    ];
    yield `| ${cells.join(' | ')} |`;
  }
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { startEmbedded } from '../../src/store/embedded/postgres-server.ts';
import { Child } from '../child.ts';
import { median } from '../median.ts';
import { cpuOf, cpuWithChildrenOf } from '../scale/process.ts';
import type { Kind } from './payloads.ts';
import type { Order, Sent } from './sender.ts';
import { urlIn, type Tree } from './tree.ts';

const ROUNDS = 5;
const SENDERS = [1, 16];
const MS = 1_500;
const WARM_UP_MS = 1_000;
const KINDS: ReadonlyMap<Kind, string> = new Map([
  ['issues', 'labels on distinct issues'],
  ['comments', 'comments on one issue'],
]);
/** Of 16 senders. */
const GOAL = 200;

interface Contender {
  readonly tree: Tree;
  readonly send: (kind: Kind, senders: number, ms: number) => Promise<Round>;
}

interface Round extends Sent {
  /** Milliseconds of processor time, of the service and of PostgreSQL. */
  readonly cpu: number;
}

/** How many deliveries a second are durable: signed, through the real route. Nothing works on the sessions. */
export async function benchAccepts(trees: readonly Tree[]): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const closing: (() => Promise<void>)[] = [];
  try {
    const sender = new Child(new URL('sender.ts', import.meta.url));
    closing.push(() => sender.close());
    const contenders: Contender[] = [];
    for (const tree of trees) {
      const dataDir = path.join(directory, String(contenders.length));
      const { port, cpu, close } = await startService(tree, dataDir);
      closing.push(close);
      const send: Contender['send'] = async (kind, senders, ms) => {
        const order: Order = { port, kind, senders, ms };
        const before = cpu();
        const sent = (await sender.ask(order)) as Sent;
        return { ...sent, cpu: cpu() - before };
      };
      contenders.push({ tree, send });
    }
    return await compare(contenders);
  } finally {
    for (const close of closing) await close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function startService(tree: Tree, dataDir: string) {
  const server = await startEmbedded(dataDir, pino({ level: 'error' }));
  const { user, host, port, database } = server.connection;
  const url = `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;
  const child = new Child(urlIn(tree, 'bench/ingest/ours.ts'), [url]);
  return {
    port: (await child.said()) as number,
    cpu: () => cpuOf(child.pid) + cpuWithChildrenOf(server.pid),
    close: async (): Promise<void> => {
      await child.close();
      await server.stop();
    },
  };
}

async function compare(contenders: readonly Contender[]): Promise<string> {
  for (const { send } of contenders) await send('issues', 16, WARM_UP_MS);
  const lines = [
    `Medians of ${ROUNDS} rounds of ${MS / 1000} s, in turns. The processor time is that of the service and of PostgreSQL.`,
    '',
    `| senders | | ${contenders.map(({ tree }) => `${tree.name}, a second | p99 ms | processor ms each`).join(' | ')} | goal |`,
    `|---|---|${'---|---|---|'.repeat(contenders.length)}---|`,
  ];
  for (const senders of SENDERS)
    for (const [kind, words] of KINDS) {
      const rounds = contenders.map(() => [] as Round[]);
      for (let round = 0; round < ROUNDS; round += 1)
        for (const [at, { send }] of contenders.entries())
          rounds[at]?.push(await send(kind, senders, MS));
      const cells = rounds.map((sent) =>
        [
          Math.round(median(sent.map(perSecond))).toLocaleString('en'),
          median(sent.map(p99)).toFixed(1),
          median(sent.map(({ cpu, took }) => cpu / took.length)).toFixed(2),
        ].join(' | '),
      );
      lines.push(
        `| ${[senders, words, ...cells, senders === 16 ? `≥ ${GOAL} a second` : ''].join(' | ')} |`,
      );
    }
  return lines.join('\n');
}

export function perSecond({ took, elapsed, refused }: Sent): number {
  if (refused > 0) throw new Error(`${refused} deliveries were not accepted`);
  return (took.length / elapsed) * 1000;
}

export const p99 = ({ took }: Sent): number => quantile(took, 0.99);

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

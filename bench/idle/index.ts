import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { openStage } from '../../packages/local-github/src/stage.ts';
import { startEmbedded } from '../../src/store/embedded/postgres-server.ts';
import { cpuOf, memoryOf } from '../scale/process.ts';

const SESSIONS = 10_000;
const SECONDS = 120;
/** What the start leaves to do. */
const SETTLED_MS = 10_000;
const MINUTE = 60;

/** Of a minute. */
interface Minute {
  /** MB that are resident at its end. */
  readonly memory: number;
  /** Milliseconds of processor time of the service. */
  readonly cpu: number;
  readonly transactions: number;
  readonly rows: number;
  /** Queries that read every session. */
  readonly sessionScans: number;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a service does while nothing happens, without sessions and with many that wait for people. */
export async function benchIdle(): Promise<string> {
  const load = loadavg()[0] ?? Number.NaN;
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const server = await startEmbedded(path.join(directory, 'postgres'), pino({ level: 'error' }));
  const { user, host, port, database } = server.connection;
  const url = `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;
  const client = new pg.Client({ ...server.connection, application_name: 'bench' });
  await client.connect();
  const stage = await openStage({
    directory,
    owner: 'example',
    people: [],
    scripts: [],
    environment: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url },
  });
  try {
    const { pid = 0 } = await stage.startService();
    await pause(SETTLED_MS);
    const without = await oneMinute(client, pid);
    await addSessions(client);
    await pause(SETTLED_MS);
    return report(without, await oneMinute(client, pid), load);
  } finally {
    await stage.close();
    await client.end();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Each with a journal of ten entries, a question at the end. */
async function addSessions(client: pg.Client): Promise<void> {
  await client.query(`
    insert into issuewright.sessions
      (id, installation, repository_id, owner, name, issue, title, state, last_seq, published_seq)
    select 'waiting-' || i, 1, 1 + i / 100, 'example', 'words', i, 'Title', 'waiting(answer)', 10, 10
    from generate_series(1, ${SESSIONS}) as i`);
  await client.query(`
    insert into issuewright.journal (session_id, seq, at, version, type, body)
    select 'waiting-' || i, seq, now(), 1, 'reply', '{"text": "' || repeat('x', 1000) || '"}'
    from generate_series(1, ${SESSIONS}) as i, generate_series(1, 10) as seq`);
  await client.query('analyze');
}

interface Count {
  readonly transactions: number;
  readonly rows: number;
  readonly scans: number;
}

async function countsOf(client: pg.Client): Promise<Count> {
  await client.query('select pg_stat_force_next_flush()');
  const { rows } = await client.query<Count>(`
    select (select xact_commit::float8 from pg_stat_database where datname = current_database()) as transactions,
      sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::float8 as rows,
      sum(seq_scan) filter (where relname = 'sessions')::float8 as scans
    from pg_stat_user_tables`);
  const [count] = rows;
  if (count === undefined) throw new Error('PostgreSQL counts nothing');
  return count;
}

async function oneMinute(client: pg.Client, pid: number): Promise<Minute> {
  const before = { cpu: cpuOf(pid), ...(await countsOf(client)) };
  await pause(SECONDS * 1000);
  const after = { cpu: cpuOf(pid), ...(await countsOf(client)) };
  const share = MINUTE / SECONDS;
  return {
    memory: memoryOf(pid).present / 1024,
    cpu: (after.cpu - before.cpu) * share,
    transactions: (after.transactions - before.transactions) * share,
    rows: (after.rows - before.rows) * share,
    sessionScans: (after.scans - before.scans) * share,
  };
}

function report(without: Minute, many: Minute, load: number): string {
  const row = (words: string, of: (minute: Minute) => number): string =>
    `| ${words} | ${Math.round(of(without)).toLocaleString('en')} | ${Math.round(of(many)).toLocaleString('en')} |`;
  return [
    `A service to which nothing happens, ${SECONDS} s each, as of a minute. Load of the machine before: ${load.toFixed(1)}.`,
    '',
    `| | no session | ${SESSIONS.toLocaleString('en')} that wait |`,
    '| --- | --- | --- |',
    row('memory of the service, MB', ({ memory }) => memory),
    row('processor time of the service, ms', ({ cpu }) => cpu),
    row('transactions of all kinds', ({ transactions }) => transactions),
    row('rows that PostgreSQL read', ({ rows }) => rows),
    row('of the queries, those that read all sessions', ({ sessionScans }) => sessionScans),
  ].join('\n');
}

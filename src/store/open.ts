import { bindFirst } from '../lib/bind-first.ts';
import { followClock, sharedTime } from '../lib/clock.ts';
import { sumWorth } from './results.ts';
import type { Budgets } from '../agent/limits.ts';
import { problemStore, type ProblemStore } from './problems.ts';
import { spendingIn, type BudgetPeriods, type UsedUpBudget } from './spending.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { GITHUB_LIMITS, type ContentLimits } from '../lib/write-budget.ts';
import { DirectoryInUse } from './embedded/lock.ts';
import { Acceptance } from './deliveries/accept.ts';
import {
  append,
  newestEntries,
  readChanges,
  readImages,
  readJournal,
  repliesBefore,
  writeEntries,
} from './journal/journal.ts';
import { claim, release, settleClaim } from './claims.ts';
import {
  executeIn,
  executeOn,
  inTransaction,
  openDatabase,
  openPool,
  type Connection,
  type Database,
  type DatabaseTransaction,
} from './database/database.ts';
import { wakeDue } from './queue/due.ts';
import { keepRunning, type SupervisedServer } from './embedded/keep-running.ts';
import { startEmbedded } from './embedded/postgres-server.ts';
import { missedStore } from './deliveries/missed.ts';
import { whileAway } from './patient-store.ts';
import { memoryStore } from './memories/memories.ts';
import { markPublished, readPublications, savePublication } from './publications.ts';
import { retentionStore } from './retention/retention.ts';
import { openQueue, type OpenQueue, type Queue } from './queue/queue.ts';
import type { SlotLimits } from './session-queue/session-queue.ts';
import { readFigures, type ServiceFigures } from './figures.ts';
import { readPause } from './control.ts';
import {
  findSession,
  isPersonAwaited,
  openSessions,
  sessionFor,
  wakeForBase,
  wakeForSubIssue,
  wakeInstallation,
  listSessions,
  sessionChoices,
  type StoreParts,
} from './sessions.ts';
import type { Store } from './store.ts';
import { migrate, OtherSchema } from './database/migrations.ts';
import { SilenceLimit, unreachable } from './database/silence.ts';
import { openWakeFeed, Wakes, type WakeFeed } from './queue/wakes.ts';
import { openWrites, type Writes } from './writes/writes.ts';
import type { SignInStore } from '../contracts/sign-in.ts';

export interface StoreOptions {
  /** The PostgreSQL server to use; by default an embedded one is started. */
  readonly databaseUrl?: string | undefined;
  /** Directory of the embedded server. Only one process may use it at a time. */
  readonly dataDir: string;
  /** For all processes together; none by default. */
  readonly limits?: SlotLimits | undefined;
  /** What each installation may write; github.com's limits by default. */
  readonly contentLimits?: ContentLimits | undefined;
  /** How long a server that `databaseUrl` names may be away at the start, and when work begins; not at all by default. */
  readonly patienceMs?: number;
  /** How long a connection may be silent while something waits for an answer; 40 s by default. */
  readonly silenceMs?: number;
  /** Ends the waiting for that server, and the opening. */
  readonly signal?: AbortSignal | undefined;
  readonly log: Logger;
}

export interface OpenStore extends Store {
  readonly queue: Queue;
  /** What all processes have in common, for metrics. */
  figures(): Promise<ServiceFigures>;
  readonly problems: ProblemStore;
  /** Which of these budgets are used up, since then. */
  budgetsUsedUp(budgets: Budgets, since: BudgetPeriods): Promise<readonly UsedUpBudget[]>;
  /** Calls the listener with a message if the embedded server dies and cannot be brought back. The process must end then. */
  onLost(listener: (words: string) => void): void;
}

const CLOSE_TIMEOUT_MS = 5000;
/** Longer than a command that pauses or resumes a service takes. */
const OTHERS_MS = 5000;
const POLL_MS = 100;

/** Connects to the database or starts the embedded one, and migrates it. Errors are for the operator. */
export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { databaseUrl, dataDir, patienceMs = 0, signal, log } = options;
  if (databaseUrl !== undefined)
    return whileAway({ patienceMs, signal, log }, 'open', () =>
      connect({ connectionString: databaseUrl }, options).catch((cause: unknown) => {
        if (cause instanceof OtherSchema) throw cause;
        throw new Error(unreachable(databaseUrl, cause), { cause });
      }),
    );
  const server = await startPatiently(dataDir, log);
  try {
    return await connect(server.connection, options, server);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** `issuewright pause` has the directory of a service that does not run for a moment. */
async function startPatiently(dataDir: string, log: Logger): Promise<SupervisedServer> {
  for (const deadline = performance.now() + OTHERS_MS; ; await pause(POLL_MS)) {
    try {
      return keepRunning(await startEmbedded(dataDir, log), log);
    } catch (error) {
      if (!(error instanceof DirectoryInUse) || performance.now() > deadline) throw error;
      log.debug({ reason: error.message }, 'waiting for the data directory');
    }
  }
}

async function connect(
  connection: Connection,
  options: StoreOptions,
  server?: SupervisedServer,
): Promise<OpenStore> {
  const { limits, contentLimits = GITHUB_LIMITS, patienceMs = 0, signal, log } = options;
  const silence = new SilenceLimit(log, options.silenceMs);
  const pool = openPool(connection, log, { silence });
  const database = openDatabase(pool);
  const execute = executeOn(pool);
  let queue: OpenQueue | undefined;
  try {
    await migrate(database);
    await followClock(() => timeOf(database));
    queue = await openQueue({ connection, silence, execute, limits, patienceMs, signal, log });
    // An embedded server has only one worker, so active jobs are left over from a killed process.
    if (server !== undefined) await queue.restartActive();
    const feed = await openWakeFeed(database, queue, log);
    silence.begin();
    const opened = queue;
    feed.onWake(() => opened.look());
    const wakes = new Wakes({ database, execute, queue, log });
    const writes = openWrites(execute, contentLimits);
    return assemble({ database, execute, queue, wakes, feed, writes, server });
  } catch (error) {
    await queue?.stop({ timeoutMs: 0 });
    await database.destroy();
    throw error;
  }
}

interface StoreInternals extends Omit<StoreParts, 'publishSoon'> {
  readonly queue: OpenQueue;
  readonly wakes: Wakes;
  readonly feed: WakeFeed;
  readonly writes: Writes;
  readonly server: SupervisedServer | undefined;
}

/** What was given is accepted and woken first. */
async function close(
  { database, queue, wakes, feed, server }: StoreInternals,
  acceptance: Acceptance,
): Promise<void> {
  await acceptance.idle();
  await feed.close();
  await wakes.close();
  await queue.stop({ timeoutMs: CLOSE_TIMEOUT_MS });
  await database.destroy();
  await server?.stop();
}

/** Stores within the store. */
const storesOf = (database: Database) => ({
  memories: memoryStore(database),
  signIns: signInStore(database),
  missed: missedStore(database),
  retention: retentionStore(database),
  problems: problemStore(database),
});

/** Milliseconds since 1970. */
async function timeOf(database: Database): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(database);
  return rows[0]?.now ?? Number.NaN;
}

/** What is named in `Store` as it is here. */
const OF_DATABASE = {
  session: findSession,
  sessions: listSessions,
  choices: sessionChoices,
  journal: readJournal,
  repliesBefore,
  newestEntries,
  claim,
  changes: readChanges,
  images: readImages,
  isPersonAwaited,
  publications: readPublications,
  savePublication,
  sessionFor,
  wakeInstallation,
  openSessions,
  servicePause: readPause,
  figures: readFigures,
};
const OF_PARTS = {
  append,
  settle: settleClaim,
  release,
  markPublished,
  reinstall,
  wakeForBase,
  wakeForSubIssue,
};

function assemble(opened: StoreInternals): OpenStore {
  const { database, execute, queue, wakes, feed, writes, server } = opened;
  const parts: StoreParts = { ...opened, publishSoon: wakes.publishSoon };
  const acceptance = new Acceptance({ execute, tell: wakes.tell });
  let closing: Promise<void> | undefined;
  return {
    queue,
    ...storesOf(database),
    ...bindFirst(database, OF_DATABASE),
    ...bindFirst(parts, OF_PARTS),
    ...spendingIn(database),
    ...writes,
    accept: acceptance.accept,
    worth: (query) => sumWorth(database, query, sharedTime()),
    due: async (now, which) => {
      await followClock(() => timeOf(database));
      return wakeDue(parts, now, which);
    },
    placeInQueue: (id) => queue.place(id),
    onWake: (listener) => feed.onWake(listener),
    ready: async () => void (await sql`select 1`.execute(database)),
    close: () => (closing ??= close(opened, acceptance)),
    onLost: (listener) => server?.onLost(listener),
  };
}

const MAX_SESSIONS = 500;

/** See `Store.reinstall`. */
async function reinstall(
  { database, publishSoon }: StoreParts,
  installation: number,
  repositoryIds: readonly number[],
): Promise<void> {
  if (repositoryIds.length === 0) return;
  const found = await database
    .selectFrom('sessions')
    .select('id')
    .where(sql<boolean>`repository_id = any(${[...repositoryIds]}::bigint[])`)
    .where('installation', '!=', installation)
    .orderBy('created_at', 'desc')
    .limit(MAX_SESSIONS)
    .execute();
  for (const { id } of found) {
    await inTransaction(database, (transaction) => move(transaction, id, installation));
    publishSoon(id);
  }
}

async function move(
  transaction: DatabaseTransaction,
  id: string,
  installation: number,
): Promise<void> {
  await writeEntries(executeIn(transaction), id, [{ type: 'reinstalled', installation }]);
  await transaction.updateTable('sessions').set({ installation }).where('id', '=', id).execute();
}

// Who has signed in on the session pages, and whose the logins of administrators are.

const signInStore = (database: Database): SignInStore => ({
  save: async (key, { account, sealed, expiresAt }) => {
    await database.deleteFrom('sign_ins').where('expires_at', '<=', sharedTime()).execute();
    await database
      .insertInto('sign_ins')
      .values({ key, account_id: account.id, login: account.login, sealed, expires_at: expiresAt })
      .execute();
  },
  find: async (key) => {
    const row = await database
      .selectFrom('sign_ins')
      .selectAll()
      .where('key', '=', key)
      .where('expires_at', '>', sharedTime())
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { account_id: id, login, sealed, expires_at: expiresAt } = row;
    return { account: { id, login }, sealed, expiresAt };
  },
  remove: async (key) => {
    await database.deleteFrom('sign_ins').where('key', '=', key).execute();
  },
  firstOf: async (account) => {
    const login = account.login.toLowerCase();
    const added = await database
      .insertInto('known_logins')
      .values({ login, account_id: account.id })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    const { account_id: id } = await database
      .selectFrom('known_logins')
      .select('account_id')
      .where('login', '=', login)
      .executeTakeFirstOrThrow();
    return { id, isNew: added.numInsertedOrUpdatedRows === 1n };
  },
});

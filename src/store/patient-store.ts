import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { hasCode, messageOf } from '../lib/errors.ts';
import type { Entry, NewEntry } from '../session/entry.ts';
import { AppendFenced, ClaimLost, type AppendOptions, type Store } from './store.ts';
import { isOfFile } from './database/silence.ts';

export interface Patience {
  /** How long the database may be away. */
  readonly patienceMs: number;
  /** It answered before, so its host is one that exists. */
  readonly wasThere?: boolean;
  /** Ends the waiting at once. */
  readonly signal?: AbortSignal | undefined;
  readonly log: Logger;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/** What Node says of a connection that failed, and PostgreSQL of a server that stops, starts or only reads. */
const AWAY = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
  '53300',
  '25006',
];
/** What `pg` says without a code. */
const LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/**
 * Whether the database is away for a while: down, restarting, or failing over to another server. A name that nobody
 * knows is a mistake in the address, unless the database `wasThere`: during a failover, names change.
 */
export function isDatabaseAway(thrown: unknown, wasThere = false): boolean {
  if (isOfFile(thrown)) return false;
  if (hasCode(thrown, ...AWAY) || LOST.test(messageOf(thrown))) return true;
  if (wasThere && hasCode(thrown, 'ENOTFOUND')) return true;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause !== undefined && isDatabaseAway(cause, wasThere);
}

/** Tries until it succeeds, fails for another reason, or the patience is over. `again`: how to try a second time. */
export async function whileAway<T>(
  { patienceMs, wasThere, signal, log }: Patience,
  operation: string,
  work: () => Promise<T>,
  again = work,
): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (let tries = 0; ; tries += 1) {
    try {
      return await (tries === 0 ? work() : again());
    } catch (error) {
      const isAway = isDatabaseAway(error, wasThere);
      if (!isAway || performance.now() > deadline || signal?.aborted === true) throw error;
      if (tries === 0)
        log.warn({ operation, reason: messageOf(error) }, 'waiting for the database');
      const waitMs = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
      // It rejects only if the signal ends it.
      await pause(waitMs, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * A store for runs: it waits for a database that is away, so that a reply of the model, which is paid for, is journaled
 * when the database is back. Each operation is safe to repeat, although nobody knows whether the first attempt was or will be
 * carried out: an append of a run is written once (`appendOnce`). Other appends are not repeated.
 */
export function patientStore(store: Store, given: Patience): Store {
  const patience = { ...given, wasThere: true };
  return {
    ...patiently(store, patience),
    memories: patiently(store.memories, patience),
    append: (id, entries, options = {}) => {
      const { claim, seen } = options;
      if (claim === undefined || seen === undefined) return store.append(id, entries, options);
      const write = () => appendOnce(store, id, entries, { ...options, seen });
      return whileAway(patience, 'append', write);
    },
    settle: (id, claim, ...rest) =>
      whileAway(
        patience,
        'settle',
        () => store.settle(id, claim, ...rest),
        () => store.settle(id, claim, ...rest).catch(unlessSettled(store, id)),
      ),
    onWake: (listener) => store.onWake(listener),
    close: () => store.close(),
  };
}

/** The same object, all of whose methods answer with promises. */
function patiently<T extends object>(target: T, patience: Patience): T {
  const methods = Object.entries(target).map(([name, method]: [string, unknown]) => [
    name,
    typeof method !== 'function'
      ? method
      : (...args: unknown[]) =>
          whileAway(patience, name, async (): Promise<unknown> =>
            Reflect.apply(method, target, args),
          ),
  ]);
  return Object.fromEntries(methods) as T;
}

type AppendAttempt = AppendOptions & { readonly seen: number };

/**
 * An append that may be repeated. Its fence is the entry up to which the journal was looked through for what it writes. So only
 * one attempt writes, even if an earlier one reaches the database late, when its connection was given up. What others
 * append does not matter.
 */
async function appendOnce(
  store: Store,
  id: string,
  entries: readonly NewEntry[],
  options: AppendAttempt,
): Promise<Entry[]> {
  if (entries.length === 0) return store.append(id, entries, options);
  for (let fence = options.seen; ;) {
    try {
      return await store.append(id, entries, { ...options, fence });
    } catch (error) {
      if (!(error instanceof AppendFenced)) throw error;
      const news = await store.journal(id, options.seen);
      const written = findWritten(news, entries);
      if (written !== undefined) return written;
      // Another append of this run, made at the same time, was written. Its entries are after its fence.
      const last = news.at(-1)?.seq ?? fence;
      if (last === fence) throw error;
      fence = last;
    }
  }
}

/**
 * The entries, if an earlier attempt wrote them. A run appends one after the other, so they are after what it has
 * seen, and nothing else of the same content is.
 */
function findWritten(news: readonly Entry[], entries: readonly NewEntry[]): Entry[] | undefined {
  const begin = news.findIndex((_entry, index) =>
    entries.every((entry, place) => isSame(news[index + place], entry)),
  );
  return begin === -1 ? undefined : news.slice(begin, begin + entries.length);
}

function isSame(stored: Entry | undefined, entry: NewEntry): boolean {
  if (stored === undefined) return false;
  const { seq: _seq, at: _at, ...content } = stored;
  // As it is read back: its type first.
  const { type, ...body } = entry;
  return JSON.stringify(content) === JSON.stringify({ type, ...body });
}

/** The first attempt released the claim. */
const unlessSettled =
  (store: Store, id: string) =>
  async (error: unknown): Promise<'settled'> => {
    if (error instanceof ClaimLost && (await store.session(id))?.claim === null) return 'settled';
    throw error;
  };

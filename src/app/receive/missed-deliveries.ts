// Deliveries that did not arrive. GitHub repeats none by itself, but lists them: they are read from there, and received
// like any other, in the order in which GitHub first tried.
import type { Logger } from 'pino';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { DeliveryAttempt } from '../../contracts/delivery.ts';
import type { GitHub } from '../../github/index.ts';
import type { MissedStore } from '../../store/deliveries/missed.ts';
import { isInstallationEvent } from './installations.ts';

export interface MissedParts {
  readonly github: Pick<GitHub, 'deliveries' | 'handles' | 'take' | 'identity'>;
  readonly store: { readonly missed: MissedStore };
  /** From when on a first look takes deliveries; by default all that GitHub keeps. */
  readonly since?: Date | undefined;
  readonly log: Logger;
}

const SOURCE = 'deliveries';
const MINUTES = 60_000;
/** An attempt is listed when it has ended, and GitHub waits ten seconds for an answer; its list may lag. */
const LISTED_WITHIN_MS = 10 * MINUTES;
/** 30,000 deliveries in three days. */
const MOST_PAGES = 300;
/** Deliveries that are read at once. They are received one after the other. */
const READ_AT_ONCE = 4;
const MOST_TRIES = 3;

export const deliveriesSeenUntil = async (store: MissedParts['store']): Promise<Date | undefined> =>
  (await store.missed.watermark(SOURCE))?.until;

interface Taken {
  readonly events: number;
  /** Whether nothing of the list is left for the next call. */
  readonly isAll: boolean;
}

/**
 * Receives what did not arrive since the last time. Safe to repeat, also by several processes at once: a delivery keeps
 * its id. `changed` is called when one of them says that an installation changed.
 * @throws {TryLater} if GitHub or the database does not answer; the next call continues there
 */
export async function takeMissed(
  parts: MissedParts,
  signal: AbortSignal,
  changed: () => void = () => {},
): Promise<Taken> {
  const { github, store } = parts;
  // What this App did itself is told apart by its name.
  await github.identity();
  const seen = (await deliveriesSeenUntil(store)) ?? parts.since;
  const attempts = await attemptsSince(parts, seen);
  const missed = missedOf(attempts).filter(({ name }) => github.handles(name));
  const settled = await store.missed.settled(missed.map(({ id }) => id));
  const open = missed.filter(({ id }) => !settled.has(id));
  const left = await takeInOrder({ ...parts, changed }, open, signal);
  const until = left[0]?.at ?? attempts[0]?.at;
  if (until !== undefined) await store.missed.markSeen(SOURCE, new Date(until));
  return { events: open.length - left.length, isAll: left.length === 0 };
}

/** Takes none of those that did not arrive until now. Resolves with how many they are. */
export async function passOverMissed(
  parts: Pick<MissedParts, 'github' | 'store' | 'log'>,
): Promise<number> {
  const { missed } = parts.store;
  const attempts = await attemptsSince(parts, undefined);
  const left = missedOf(attempts);
  for (const { id, event } of left) await missed.settle(id, event);
  const newest = attempts[0]?.at;
  if (newest !== undefined) await missed.markSeen(SOURCE, new Date(newest));
  return left.length;
}

/** Newest first. */
async function attemptsSince(
  { github, log }: Pick<MissedParts, 'github' | 'log'>,
  seen: Date | undefined,
): Promise<readonly DeliveryAttempt[]> {
  const from = seen === undefined ? 0 : seen.getTime() - LISTED_WITHIN_MS;
  const attempts: DeliveryAttempt[] = [];
  let pages = 0;
  for await (const page of github.deliveries.pages()) {
    attempts.push(...page.filter(({ at }) => Date.parse(at) >= from));
    if (page.some(({ at }) => Date.parse(at) < from)) return attempts;
    if ((pages += 1) < MOST_PAGES) continue;
    log.warn(
      { deliveries: attempts.length },
      'looked at the newest deliveries only: there are too many',
    );
    return attempts;
  }
  return attempts;
}

/** The first attempt of each delivery that never arrived, oldest first. `attempts`: newest first. */
export function missedOf(attempts: readonly DeliveryAttempt[]): readonly DeliveryAttempt[] {
  const received = new Set(attempts.filter(({ isReceived }) => isReceived).map(({ id }) => id));
  const first = new Map<string, DeliveryAttempt>();
  for (const attempt of attempts) if (!received.has(attempt.id)) first.set(attempt.id, attempt);
  // The list is by attempt: a later one of an old delivery would be before its first.
  return [...first.values()]
    .toReversed()
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

type TakingParts = MissedParts & { readonly changed: () => void };

/** Resolves with those that are still to be taken, which is tried again. */
async function takeInOrder(
  parts: TakingParts,
  open: readonly DeliveryAttempt[],
  signal: AbortSignal,
): Promise<readonly DeliveryAttempt[]> {
  const left: DeliveryAttempt[] = [];
  for (let at = 0; at < open.length; at += READ_AT_ONCE) {
    const some = open.slice(at, at + READ_AT_ONCE);
    const payloads = await Promise.all(some.map((one) => read(parts, one)));
    for (const [index, one] of some.entries()) {
      if (signal.aborted) return [...left, ...open.slice(at + index)];
      if (!(await takeOne(parts, one, payloads[index]))) left.push(one);
    }
  }
  return left;
}

/** `gone`: GitHub does not have it any more. */
async function read(
  { github, log }: MissedParts,
  { attempt, id, name }: DeliveryAttempt,
): Promise<object | 'gone' | undefined> {
  try {
    return await github.deliveries.payload(attempt);
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    log.warn(
      { delivery: id, event: name, reason: messageOf(error) },
      'failed to read a missed delivery',
    );
    return 'gone';
  }
}

/** Resolves with whether nothing more is to be done for it. */
async function takeOne(
  parts: TakingParts,
  one: DeliveryAttempt,
  payload: object | 'gone' | undefined,
): Promise<boolean> {
  const { id, event } = one;
  if (payload === undefined) return askAgain(parts, one);
  if (payload !== 'gone') {
    const { status } = await parts.github.take({ id, event, payload });
    if (status >= 500 && (await countTry(parts, one)) !== 'given_up')
      throw new TryLater(`the missed delivery ${id} could not be received`);
    if (isInstallationEvent(event)) parts.changed();
  }
  await parts.store.missed.settle(id, event);
  return true;
}

/** If GitHub does not show what it was to deliver, it is asked to deliver it. */
async function askAgain(parts: MissedParts, one: DeliveryAttempt): Promise<boolean> {
  const counted = await countTry(parts, one);
  if (counted === 'counted') await parts.github.deliveries.deliverAgain(one.attempt);
  if (counted !== 'given_up') return false;
  await parts.store.missed.settle(one.id, one.event);
  return true;
}

/** Many processes may try within a short time, in which a fault passes: `too_soon` after the last try that counted. */
async function countTry(
  { store, log }: MissedParts,
  { id, name }: DeliveryAttempt,
): Promise<'counted' | 'too_soon' | 'given_up'> {
  const tries = await store.missed.failed(id);
  if (tries === undefined) return 'too_soon';
  if (tries <= MOST_TRIES) return 'counted';
  log.error({ delivery: id, event: name, tries: MOST_TRIES }, 'gave up a missed delivery');
  return 'given_up';
}

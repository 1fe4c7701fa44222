// Publications that GitHub denies: they are shown where possible, and retried at growing intervals.
import { sharedNow } from '../../lib/clock.ts';
import { Archived, NoAccess, NotFound } from '../../github/errors.ts';
import { messageOf, TellPerson } from '../../lib/errors.ts';
import type { PublishingBlock } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';

/** Stands for every publication. */
const ALL = '*';
const NEVER = new Date(8.64e15);
const MOST_KEYS = 50;

const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 60 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;
/** A deleted issue or repository rarely comes back. */
const GIVE_UP_GONE_MS = 60 * 60_000;

type Blocked = Pick<Session['waiting'], 'publishingBlock'>;

/** Until when a publication that GitHub denied is not retried; `undefined`: it may be tried now. */
export function blockedUntil(
  { publishingBlock }: Blocked,
  key: string = ALL,
  now = sharedNow(),
): Date | undefined {
  if (publishingBlock === undefined) return undefined;
  const { keys, until } = publishingBlock;
  if (!keys.includes(ALL) && !keys.includes(key)) return undefined;
  if (until === null) return NEVER;
  return Date.parse(until) > now ? new Date(until) : undefined;
}

/** Nothing else can be written either, so there is no point in trying. */
const isAboutAll = (error: Error): boolean =>
  error instanceof Archived || error instanceof NoAccess;

/** What GitHub denied during one pass over the publications. */
export class PublishingBlocks {
  readonly #session: Blocked;
  readonly #denied = new Map<string, Error>();
  readonly #stillBlocked = new Set<string>();
  #isComplete = true;

  constructor(session: Blocked) {
    this.#session = session;
  }

  /** Whether the publication is blocked, so that this pass skips it. */
  isBlocked(key: string): boolean {
    const isBlocked = blockedUntil(this.#session, key) !== undefined;
    if (isBlocked) this.#stillBlocked.add(key);
    return isBlocked;
  }

  /** `stop`: do not try anything else. @throws any error that is not a denial */
  add(key: string, error: unknown): 'stop' | 'continue' {
    if (!(error instanceof TellPerson || error instanceof NoAccess)) throw error;
    const concernsAll = isAboutAll(error);
    this.#denied.set(concernsAll ? ALL : key, error);
    return concernsAll ? 'stop' : 'continue';
  }

  /** The pass ends before everything was tried. */
  markIncomplete(): void {
    this.#isComplete = false;
  }

  /** What to journal after the pass. `null`: nothing is blocked any more; `undefined`: nothing new. */
  outcome(now = sharedNow()): PublishingBlock | null | undefined {
    const { publishingBlock } = this.#session;
    const [first] = [...this.#denied.values()].toSorted(worstFirst);
    const isOver = this.#isComplete && this.#stillBlocked.size === 0;
    if (first === undefined) return publishingBlock !== undefined && isOver ? null : undefined;
    const untried = this.#isComplete ? [] : (publishingBlock?.keys ?? []);
    const named = [...new Set([...this.#denied.keys(), ...this.#stillBlocked, ...untried])];
    const keys = named.includes(ALL) || named.length > MOST_KEYS ? [ALL] : named;
    const age = now - Date.parse(publishingBlock?.since ?? new Date(now).toISOString());
    return {
      reason: messageOf(first),
      // A key that is missing here would be retried at once and denied again, in a loop.
      keys,
      until: nextTry(first, age, now),
    };
  }
}

const worstFirst = (one: Error, other: Error): number =>
  Number(isAboutAll(other)) - Number(isAboutAll(one));

/** The wait doubles each time. */
function nextTry(error: Error, age: number, now: number): string | null {
  if (age > (error instanceof NotFound ? GIVE_UP_GONE_MS : GIVE_UP_MS)) return null;
  const asked = error instanceof NoAccess ? (error.retryAfterMs ?? 0) : 0;
  const wait = Math.max(asked, Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS));
  return new Date(now + wait).toISOString();
}

// What GitHub does not let us write: it is told where it can be, and asked again ever later.
import { Archived, NotFound, NotInstalled, Suspended } from '../../github/errors.ts';
import { messageOf, TellPerson } from '../../lib/errors.ts';
import type { PublishingBlock } from '../../session/entries/entry.ts';
import type { Session } from '../../session/session.ts';

/** Stands for every publication. */
const ALL = '*';
const NEVER = new Date(8.64e15);
const MOST_KEYS = 50;

const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 60 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;
/** What is gone seldom comes back. */
const GIVE_UP_GONE_MS = 60 * 60_000;

type Refused = Pick<Session['waiting'], 'publishingBlock'>;

/** Until when it is not tried again, as GitHub refused it; `undefined`: it may be tried. */
export function heldUntil(
  { publishingBlock }: Refused,
  key: string = ALL,
  now = Date.now(),
): Date | undefined {
  if (publishingBlock === undefined) return undefined;
  const { keys, until } = publishingBlock;
  if (!keys.includes(ALL) && !keys.includes(key)) return undefined;
  if (until === null) return NEVER;
  return Date.parse(until) > now ? new Date(until) : undefined;
}

/** Nothing else can be written either: there is no use in trying. */
const isAboutAll = (error: Error): boolean =>
  error instanceof Archived || error instanceof NotInstalled || error instanceof Suspended;

/** What GitHub refused, in one pass over what is to be published. */
export class Refusals {
  readonly #session: Refused;
  readonly #refused = new Map<string, Error>();
  readonly #held = new Set<string>();
  #isWhole = true;

  constructor(session: Refused) {
    this.#session = session;
  }

  /** Whether it waits, so that it is not to be tried in this pass. */
  isHeld(key: string): boolean {
    const held = heldUntil(this.#session, key) !== undefined;
    if (held) this.#held.add(key);
    return held;
  }

  /** `over`: nothing else is to be tried. @throws what is no refusal */
  take(key: string, error: unknown): 'over' | 'go on' {
    if (!(error instanceof TellPerson || error instanceof Suspended)) throw error;
    const isOver = isAboutAll(error);
    this.#refused.set(isOver ? ALL : key, error);
    return isOver ? 'over' : 'go on';
  }

  /** The pass ends before everything was tried. */
  breakOff(): void {
    this.#isWhole = false;
  }

  /** What the journal has to say then: `null`, that it is over; `undefined`, nothing new. */
  outcome(now = Date.now()): PublishingBlock | null | undefined {
    const { publishingBlock } = this.#session;
    const [first] = [...this.#refused.values()].toSorted(worstFirst);
    const isOver = this.#isWhole && this.#held.size === 0;
    if (first === undefined) return publishingBlock !== undefined && isOver ? null : undefined;
    const untried = this.#isWhole ? [] : (publishingBlock?.keys ?? []);
    const keys = [...new Set([...this.#refused.keys(), ...this.#held, ...untried])];
    const age = now - Date.parse(publishingBlock?.since ?? new Date(now).toISOString());
    return {
      reason: messageOf(first),
      // One that is left out would be tried again at once, and refused, and so on.
      keys: keys.length > MOST_KEYS ? [ALL] : keys,
      until: nextTry(first, age, now),
    };
  }
}

const worstFirst = (one: Error, other: Error): number =>
  Number(isAboutAll(other)) - Number(isAboutAll(one));

/** Twice as late each time. */
function nextTry(error: Error, age: number, now: number): string | null {
  if (age > (error instanceof NotFound ? GIVE_UP_GONE_MS : GIVE_UP_MS)) return null;
  const asked = error instanceof Suspended ? (error.retryAfterMs ?? 0) : 0;
  const wait = Math.max(asked, Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS));
  return new Date(now + wait).toISOString();
}

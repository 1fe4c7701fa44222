import { NoRoom, Suspended } from '../../github/errors.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import type { ParkedOn } from '../../session/entries/wait-entry.ts';
import type { Session } from '../../session/session.ts';
import { isClosed } from '../../session/state.ts';

/** Why a run ends, or its signal was raised: the work is over. Any other signal is a shutdown. */
export class WorkIsOver extends Error {
  override readonly name = 'WorkIsOver';
}

/** The run was at a point where it can be left, and somebody has paused it. */
export class PutAside extends Error {
  override readonly name = 'PutAside';
}

/** Why nothing is to be done any more, in words; `undefined` while anything may be. */
export function overBecause(session: Session): string | undefined {
  if (isClosed(session)) return 'The issue or its pull request was closed.';
  return session.stop?.words;
}

/** The run goes on later, from where it stands: at once when `at` is missing. */
export class Parked extends Error {
  override readonly name = 'Parked';
  readonly at: Date | undefined;
  /** What it waits for, where whatever wakes it may have mended that. */
  readonly on: ParkedOn | undefined;

  constructor(reason: string, at?: Date, on?: ParkedOn) {
    super(reason);
    this.at = at;
    this.on = on;
  }
}

const MAX_RESUMES = 8;
/** A broken database connection passes; a fault of ours comes back. */
const MAX_SURPRISES = 2;
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;

const INTERNAL =
  'Something went wrong inside Issuewright that it has no words for. Its operator finds it in the log, under the number of this session.';

/** What an error makes of a run: an end in words for the issue, or a pause. */
export function afterError(error: unknown, signal: AbortSignal, resumed: number): RunEnd | Parked {
  const over = [error, signal.reason].find((reason) => reason instanceof WorkIsOver);
  if (over !== undefined) return { kind: 'stopped', words: over.message };
  if (signal.aborted) return new Parked('the service is stopping');
  if (error instanceof TellPerson) return { kind: 'failed', words: error.message };
  const later = error instanceof TryLater ? error : undefined;
  if (later === undefined && resumed >= MAX_SURPRISES) return { kind: 'failed', words: INTERNAL };
  if (resumed >= MAX_RESUMES) {
    const words = `It was tried ${MAX_RESUMES + 1} times, and each time: ${messageOf(error)}`;
    return { kind: 'failed', words };
  }
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** resumed, LONGEST_WAIT_MS);
  const wait = Math.max(later?.retryAfterMs ?? 0, backoff);
  const reason = later === undefined ? 'something went wrong, and is tried again' : later.message;
  return new Parked(reason, new Date(Date.now() + wait), waitsOn(error));
}

/** What is no fault of the run's, and so not counted among its attempts. */
function waitsOn(error: unknown): ParkedOn | undefined {
  if (error instanceof Suspended) return 'installation';
  return error instanceof NoRoom ? 'room' : undefined;
}

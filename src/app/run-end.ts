import { messageOf, TellPerson, TryLater } from '../lib/errors.ts';
import type { RunEnd } from '../session/entry.ts';

/** Why a run's signal was raised: GitHub says that the work is over. Anything else is a shutdown. */
export class WorkIsOver extends Error {
  override readonly name = 'WorkIsOver';
}

/** The run goes on later, from where it stands: at once when `at` is missing. */
export class Parked extends Error {
  override readonly name = 'Parked';
  readonly at: Date | undefined;

  constructor(reason: string, at?: Date) {
    super(reason);
    this.at = at;
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
  if (signal.aborted) {
    return signal.reason instanceof WorkIsOver
      ? { kind: 'stopped', words: signal.reason.message }
      : new Parked('the service is stopping');
  }
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
  return new Parked(reason, new Date(Date.now() + wait));
}

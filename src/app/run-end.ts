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
const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;

const INTERNAL =
  'Something went wrong inside Issuewright that it has no words for. Its operator finds it in the log, under the number of this session.';

/**
 * What an error makes of a run: an end in words for the issue, or a pause.
 * @throws {Parked} when the same run is to be resumed
 */
export function endAfter(error: unknown, signal: AbortSignal, resumed: number): RunEnd {
  if (signal.aborted) {
    if (signal.reason instanceof WorkIsOver) {
      return { kind: 'stopped', words: signal.reason.message };
    }
    throw new Parked('the service is stopping');
  }
  if (error instanceof TellPerson) return { kind: 'failed', words: error.message };
  if (!(error instanceof TryLater)) return { kind: 'failed', words: INTERNAL };
  if (resumed >= MAX_RESUMES) {
    return {
      kind: 'failed',
      words: `It was tried ${MAX_RESUMES + 1} times, and each time: ${messageOf(error)}`,
    };
  }
  const backoff = Math.min(FIRST_WAIT_MS * 2 ** resumed, LONGEST_WAIT_MS);
  throw new Parked(error.message, new Date(Date.now() + (error.retryAfterMs ?? backoff)));
}

import { ask } from './ask.ts';
import { limitReached, tooManyFaults } from './limits.ts';
import { makeRoom } from './make-room.ts';
import type { Runner } from './run.ts';

/** One request without tools; the reply is the answer. */
export const completionRunner: Runner = async function* (run) {
  const { history } = run;
  while (history.used.turns === 0 || history.faultsInARow > 0) {
    const end =
      history.end ??
      tooManyFaults(run.limits, history.faultsInARow) ??
      limitReached(run.limits, {
        ...history.used,
        elapsedMs: run.elapsedMs(),
        spending: await run.spending(),
      });
    if (end !== undefined) return end;
    const input = await run.inbox();
    if (input !== undefined) history.add(yield { type: 'input_taken', ...input });
    yield* makeRoom(run);
    yield* ask(run);
  }
  return history.end ?? { kind: 'answered' };
};

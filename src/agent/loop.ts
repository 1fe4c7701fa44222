// One run of the agent. It reads and writes a list of messages (`history`), which begins with what
// people asked and grows turn by turn: a reply of the model, then the results of its calls. Everything that
// enters the list is an entry that is journaled first: the loop yields it and continues once it is stored, so
// a resumed run continues exactly where the journal ends.
import { act } from './act.ts';
import { ask } from './ask.ts';
import type { LoopEnd } from './ends.ts';
import { endByLimit, nearlyUsed, type Spent } from './limits.ts';
import { shortenConversation } from './make-room.ts';
import { GO_ON, wrapUp } from './prompts/notices.ts';
import { spentBy, type News, type Notice, type Run, type Steps } from './agent-run.ts';
import type { History } from './history.ts';
import type { NearlyUsed } from './prompts/notices.ts';

/**
 * Runs the calls of the last reply, reads new input and requests the next reply, until something ends the run.
 * @throws {TellPerson | TryLater} what the model's adapter or a tool throws for others than the model
 */
export async function* runLoop(run: Run): Steps<LoopEnd> {
  for (;;) {
    yield* act(run);
    const spent = await spentBy(run);
    const end = endOf(run, spent);
    if (end !== undefined) return end;
    const heard = await run.io.hear();
    if ('end' in heard) return heard.end;
    yield* tell(run, heard, spent);
    yield* shortenConversation(run);
    // A summary is a request too, after which nothing may be left for another one.
    const paid = run.history.used.dollars > spent.dollars;
    const usedUp = paid ? endByLimit(run.limits, await spentBy(run)) : undefined;
    if (usedUp !== undefined) return usedUp;
    yield* ask(run);
  }
}

/** How the run ends after this turn, if it does. */
function endOf({ mode, history, limits }: Run, spent: Spent): LoopEnd | undefined {
  const { end, faultsInARow, used } = history;
  // By one of its calls, or by the provider's safety filter.
  if (end !== undefined) return end;
  const hasReplied = used.turns > 0 && faultsInARow === 0;
  if (hasReplied && mode === 'completion') return { kind: 'answered' };
  if (hasReplied && mode === 'single') return { kind: 'finished' };
  if (faultsInARow > limits.faults)
    return { kind: 'failed', cause: { because: 'unreadable_replies', times: faultsInARow } };
  return endByLimit(limits, spent);
}

/** Adds what people said since the last request, and what the service has to say itself. */
async function* tell(run: Run, { input, notices }: News, spent: Spent): Steps<void> {
  const { history, limits, mode } = run;
  if (input !== undefined) history.add(yield { type: 'input_read', ...input });
  const near = mode === 'completion' ? undefined : nearlyUsed(limits, spent);
  const own = ownNotices(history, near);
  for (const notice of [...notices, ...own]) {
    if (!history.wasTold(notice.topic)) history.add(yield { type: 'notice', ...notice });
  }
}

/** To wrap up, or that an earlier note to do so no longer applies: a new run, or a raised limit, has room again. */
function ownNotices(history: History, near: NearlyUsed | undefined): readonly Notice[] {
  if (near !== undefined) return [{ topic: `wrap-up:${history.runs}`, text: wrapUp(near) }];
  return history.isToldToWrapUp ? [{ topic: `go-on:${history.runs}`, text: GO_ON }] : [];
}

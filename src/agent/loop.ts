import { act } from './act.ts';
import { ask } from './ask.ts';
import type { LoopEnd } from '../contracts/entries.ts';
import { limitReached, tooManyFaults, wrapUp, type Spent } from './limits.ts';
import { makeRoom } from './make-room.ts';
import type { Run, Runner, Steps } from './run.ts';

/** Ask the model, act on its calls, record both, until a call ends the run or a limit does. */
export const agentRunner: Runner = async function* (run) {
  for (;;) {
    yield* act(run);
    const spent = await spentBy(run);
    const end = ended(run, spent);
    if (end !== undefined) return end;
    yield* listen(run, spent);
    yield* makeRoom(run);
    yield* ask(run);
  }
};

async function spentBy({ history, elapsedMs, spending }: Run): Promise<Spent> {
  return { ...history.used, elapsedMs: elapsedMs(), spending: await spending() };
}

function ended({ history, limits, mode }: Run, spent: Spent): LoopEnd | undefined {
  const { end, faultsInARow, used } = history;
  if (end !== undefined) return end;
  if (mode === 'single' && used.turns > 0 && faultsInARow === 0) return { kind: 'finished' };
  return tooManyFaults(limits, faultsInARow) ?? limitReached(limits, spent);
}

/** What people said meanwhile, and what the service has to say itself. */
async function* listen(run: Run, spent: Spent): Steps<void> {
  const { history } = run;
  const input = await run.inbox();
  if (input !== undefined) history.add(yield { type: 'input_taken', ...input });
  for (const notice of await run.notices()) {
    if (!history.wasTold(notice.topic)) history.add(yield { type: 'notice', ...notice });
  }
  const text = wrapUp(run.limits, spent);
  const topic = `wrap-up:${history.runs}`;
  if (text !== undefined && !history.wasTold(topic)) {
    history.add(yield { type: 'notice', topic, text });
  }
}

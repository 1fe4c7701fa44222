import { TellPerson } from '../lib/errors.ts';
import { act } from './act.ts';
import type { LoopEnd } from './entries.ts';
import { limitReached, tooManyFaults, wrapUp, type Spent } from './limits.ts';
import { makeRoom, makeRoomNow } from './make-room.ts';
import { ContextOverflow, ToolsRefused } from './model.ts';
import { request } from './request.ts';
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

async function spentBy<Effect>({ history, elapsedMs, spending }: Run<Effect>): Promise<Spent> {
  return { ...history.used, elapsedMs: elapsedMs(), spending: await spending() };
}

function ended<Effect>({ history, limits, mode }: Run<Effect>, spent: Spent): LoopEnd | undefined {
  const { end, faultsInARow, used } = history;
  if (end !== undefined) return end;
  if (mode === 'single' && used.turns > 0 && faultsInARow === 0) return { kind: 'finished' };
  return tooManyFaults(limits, faultsInARow) ?? limitReached(limits, spent);
}

/** What people said meanwhile, and what the service has to say itself. */
async function* listen<Effect>(run: Run<Effect>, spent: Spent): Steps<Effect, void> {
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

/** One reply; or, where the server would not have the request, a change that lets it have the next. */
async function* ask<Effect>(run: Run<Effect>): Steps<Effect, void> {
  try {
    run.history.add(yield await request(run));
  } catch (error) {
    if (error instanceof ContextOverflow) yield* makeRoomNow(run);
    else if (error instanceof ToolsRefused) yield* stepDown(run);
    else throw error;
  }
}

/** The tools are described in the system prompt from here on. */
async function* stepDown<Effect>(run: Run<Effect>): Steps<Effect, void> {
  const { history, model, withoutTools, tools } = run;
  const { protocol, instructions } = history.prompt;
  if (withoutTools === undefined || withoutTools.name === protocol.name) {
    throw new TellPerson(
      `The server of ${model.name} does not let this model call tools. Set PROTOCOL to \`auto\` or \`json\`, or choose another model.`,
    );
  }
  const entry = {
    type: 'protocol_changed',
    protocol: withoutTools.name,
    instructions: `${instructions}\n\n${withoutTools.instructions(tools.list)}`,
    reason: `the server of ${model.name} does not let this model call tools`,
  } as const;
  history.add(yield entry);
}

import { TellModel } from '../lib/errors.ts';
import { prepare, type PreparedCall, type Toolbox } from './dispatch.ts';
import type { AgentEntry, CallFinished, LoopEnd, NewAgentEntry, Reply } from './entries.ts';
import type { History, OpenCall } from './history.ts';
import { limitReached, type Limits } from './limits.ts';
import type { Model } from './model.ts';
import type { Protocol } from './protocol.ts';

/** What people said since it was last asked: `upTo` is the last journal entry that it covers. */
export type Inbox = () => Promise<{ readonly upTo: number; readonly text: string } | undefined>;

export interface Run<Effect> {
  readonly model: Model;
  readonly protocol: Protocol;
  readonly instructions: string;
  readonly tools: Toolbox<Effect>;
  /** The conversation so far; an interrupted run is resumed by filling it from the journal. */
  readonly history: History<Effect>;
  readonly inbox: Inbox;
  readonly limits: Limits;
  readonly cacheKey: string;
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
  /** Milliseconds since the run began, a crash and its downtime included. */
  readonly elapsedMs: () => number;
}

/** The loop yields an entry and gets it back as it was stored; it goes on only then. */
type Steps<Effect, Result> = AsyncGenerator<NewAgentEntry<Effect>, Result, AgentEntry<Effect>>;

/**
 * Ask the model, act on its calls, record both, until a call ends the run or a limit does.
 * @throws {TellPerson | TryLater} what the model adapter or a tool throws for others than the model
 */
export async function* runLoop<Effect>(run: Run<Effect>): Steps<Effect, LoopEnd> {
  const { history } = run;
  for (;;) {
    yield* act(run);
    if (history.halt !== null) return { kind: history.halt };
    const end = limitReached(run.limits, {
      turns: history.turns,
      faultsInARow: history.faultsInARow,
      elapsedMs: run.elapsedMs(),
    });
    if (end !== undefined) return end;
    const input = await run.inbox();
    if (input !== undefined) history.add(yield { type: 'input_taken', ...input });
    history.add(yield await ask(run));
  }
}

async function ask<Effect>(run: Run<Effect>): Promise<Reply> {
  const before = performance.now();
  const reply = await run.model.reply({
    system: run.instructions,
    messages: run.history.messages,
    maxOutputTokens: run.limits.outputTokens,
    cacheKey: run.cacheKey,
    signal: run.signal,
  });
  const reading = run.protocol.read(reply.text, reply.stop === 'cut');
  return {
    type: 'reply',
    text: reply.text,
    ...reading,
    usage: reply.usage,
    took: Math.round(performance.now() - before),
  };
}

/** Runs the calls of the last reply that have no result yet, in order. */
async function* act<Effect>(run: Run<Effect>): Steps<Effect, void> {
  const { history } = run;
  for (let open = history.openCall; open !== undefined; open = history.openCall) {
    const skip = history.skipReason;
    if (skip !== undefined) history.add(yield refused(open, skip));
    else yield* perform(run, open);
  }
}

async function* perform<Effect>(run: Run<Effect>, open: OpenCall): Steps<Effect, void> {
  const { history } = run;
  let prepared: PreparedCall<Effect>;
  try {
    prepared = prepare(run.tools, open.call);
  } catch (error) {
    history.add(yield refused(open, forModel(error)));
    return;
  }
  const { reply, index } = open;
  let { startedAt } = open;
  if (startedAt === undefined) {
    const title = run.redact(prepared.title);
    const started = yield { type: 'call_started', reply, index, title };
    history.add(started);
    startedAt = started.at;
  }
  history.add(yield await finish(run, open, prepared, new Date(startedAt)));
}

async function finish<Effect>(
  run: Run<Effect>,
  open: OpenCall,
  prepared: PreparedCall<Effect>,
  startedAt: Date,
): Promise<CallFinished<Effect>> {
  try {
    run.signal.throwIfAborted();
    const result = await prepared.run({ startedAt, signal: run.signal });
    return {
      type: 'call_finished',
      reply: open.reply,
      index: open.index,
      ok: true,
      output: run.redact(result.output),
      effects: result.effects ?? [],
      halt: result.halt ?? null,
    };
  } catch (error) {
    return refused(open, run.redact(forModel(error)));
  }
}

/** A model's mistake is a result that it reads; anything else is not its business and goes on up. */
function forModel(error: unknown): string {
  if (error instanceof TellModel) return error.message;
  throw error;
}

const refused = <Effect>(open: OpenCall, output: string): CallFinished<Effect> => ({
  type: 'call_finished',
  reply: open.reply,
  index: open.index,
  ok: false,
  output,
  effects: [],
  halt: null,
});

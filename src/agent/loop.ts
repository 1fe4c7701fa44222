import { TellModel, TellPerson } from '../lib/errors.ts';
import { prepare, type PreparedCall, type Toolbox } from './dispatch.ts';
import type { AgentEntry, CallFinished, LoopEnd, NewAgentEntry, Reply } from './entries.ts';
import type { History, OpenCall } from './history.ts';
import { limitReached, type Limits } from './limits.ts';
import type { Model } from './model.ts';
import type { Protocol } from './protocol.ts';
import type { ToolResult } from './tool.ts';

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
export type Steps<Effect, Result> = AsyncGenerator<
  NewAgentEntry<Effect>,
  Result,
  AgentEntry<Effect>
>;

/**
 * Ask the model, act on its calls, record both, until a call ends the run or a limit does.
 * @throws {TellPerson | TryLater} what the model adapter or a tool throws for others than the model
 */
export async function* runLoop<Effect>(run: Run<Effect>): Steps<Effect, LoopEnd> {
  const { history } = run;
  for (;;) {
    yield* act(run);
    if (history.end !== undefined) return history.end;
    const limit = limitReached(run.limits, {
      turns: history.turns,
      faultsInARow: history.faultsInARow,
      elapsedMs: run.elapsedMs(),
    });
    if (limit !== undefined) return limit;
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

const TOO_LATE = 'not run: the time of this run is over';

/** Runs the calls of the last reply that have no result yet, in order. */
async function* act<Effect>(run: Run<Effect>): Steps<Effect, void> {
  const { history } = run;
  for (let open = history.openCall; open !== undefined; open = history.openCall) {
    const isLate = run.elapsedMs() >= run.limits.wallTimeMs;
    const skip = history.skipReason ?? (isLate ? TOO_LATE : undefined);
    if (skip === undefined) yield* perform(run, open);
    else history.add(yield refused(open, skip));
  }
}

/** Leaves the calls that a run left open undone, so that the next run does not begin with them. */
export async function* abandonCalls<Effect>(
  history: History<Effect>,
  reason: string,
): Steps<Effect, void> {
  for (let open = history.openCall; open !== undefined; open = history.openCall) {
    history.add(yield refused(open, reason));
  }
}

async function* perform<Effect>(run: Run<Effect>, open: OpenCall): Steps<Effect, void> {
  const { history } = run;
  const prepared = prepare(run.tools, open.call);
  if ('fault' in prepared) {
    history.add(yield refused(open, prepared.fault));
    return;
  }
  let { startedAt } = open;
  if (startedAt === undefined) {
    const { reply, index } = open;
    const title = run.redact(prepared.title);
    const started = yield { type: 'call_started', reply, index, title };
    history.add(started);
    startedAt = started.at;
  }
  history.add(yield await execute(run, open, prepared, new Date(startedAt)));
}

/** What came of a call. Errors that are neither the model's business nor the person's go on up. */
async function execute<Effect>(
  run: Run<Effect>,
  open: OpenCall,
  prepared: PreparedCall<Effect>,
  startedAt: Date,
): Promise<CallFinished<Effect>> {
  try {
    run.signal.throwIfAborted();
    const result = await prepared.run({ startedAt, signal: run.signal });
    return done(open, redacted(result, run.redact));
  } catch (error) {
    if (!(error instanceof TellModel) && !(error instanceof TellPerson)) throw error;
    const output = run.redact(error.message);
    return { ...refused(open, output), halt: error instanceof TellPerson ? 'failed' : null };
  }
}

/** Before anything is escaped or cut for people: half a secret is one too. */
function redacted<T>(value: T, redact: (text: string) => string): T;
function redacted(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item: unknown) => redacted(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, redacted(item, redact)]),
  );
}

const done = <Effect>(open: OpenCall, result: ToolResult<Effect>): CallFinished<Effect> => ({
  type: 'call_finished',
  reply: open.reply,
  index: open.index,
  ok: true,
  output: result.output,
  effects: result.effects ?? [],
  halt: result.halt ?? null,
});

const refused = <Effect>(open: OpenCall, output: string): CallFinished<Effect> => ({
  type: 'call_finished',
  reply: open.reply,
  index: open.index,
  ok: false,
  output,
  effects: [],
  halt: null,
});

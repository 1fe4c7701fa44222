import { TellModel, TellPerson } from '../lib/errors.ts';
import { prepare, type PreparedCall } from './dispatch.ts';
import type { CallFinished } from '../contracts/entries.ts';
import type { History, OpenCall } from './history.ts';
import type { Run, Steps } from './run.ts';
import type { ToolResult } from '../contracts/tool.ts';

const TOO_LATE = 'not run: the time of this run is over';
const UNKNOWN = 'interrupted, and it is not known whether it happened';
const MOST_REPEATS = 3;
const SAME_AGAIN =
  '(This is the very same call as the one before. A third one would end this run.)';

/** Runs the calls of the last reply that have no result yet, in order. */
export async function* act(run: Run): Steps<void> {
  const { history } = run;
  for (let open = history.openCall; open !== undefined; open = history.openCall) {
    const isLate = run.elapsedMs() >= run.limits.wallTimeMs;
    const skip = history.skipReason ?? (isLate ? TOO_LATE : undefined);
    if (skip === undefined) yield* perform(run, open);
    else history.add(yield refused(open, skip));
  }
}

/**
 * Leaves the calls that a run left open undone, so that the next run does not begin with them. One
 * that had been started may have had its effect outside the workspace.
 */
export async function* abandonCalls(history: History, reason: string): Steps<void> {
  for (let open = history.openCall; open !== undefined; open = history.openCall) {
    const words = open.startedAt === undefined ? `not run: ${reason}` : `${UNKNOWN}: ${reason}`;
    history.add(yield refused(open, words));
  }
}

async function* perform(run: Run, open: OpenCall): Steps<void> {
  const { history } = run;
  const prepared = prepare(run.tools, open.call);
  if (history.timesInARow(open.call) >= MOST_REPEATS - 1) {
    history.add(yield stuck(open, 'title' in prepared ? run.redact(prepared.title) : undefined));
    return;
  }
  if ('fault' in prepared) {
    history.add(yield refused(open, again(history, open, prepared.fault)));
    return;
  }
  const title = run.redact(prepared.title);
  if (prepared.reach === 'workspace' && open.startedAt === undefined) {
    history.add(yield { ...(await execute(run, open, prepared, new Date())), title });
    return;
  }
  const startedAt = open.startedAt ?? (yield* start(history, open, title));
  history.add(yield await execute(run, open, prepared, new Date(startedAt)));
}

/** The ISO time at which the call is journaled as started. */
async function* start(history: History, { reply, index }: OpenCall, title: string): Steps<string> {
  const started = yield { type: 'call_started', reply, index, title };
  history.add(started);
  return started.at;
}

/** What came of a call. Errors that are neither the model's business nor the person's go on up. */
async function execute(
  run: Run,
  open: OpenCall,
  prepared: PreparedCall,
  startedAt: Date,
): Promise<CallFinished> {
  try {
    run.signal.throwIfAborted();
    const { reply, index } = open;
    const progress = (text: string): void => run.progress?.({ reply, index }, text);
    const result = await prepared.run({ startedAt, signal: run.signal, progress });
    const { output, ...rest } = redacted(result, run.redact);
    return done(open, { ...rest, output: again(run.history, open, output) });
  } catch (error) {
    if (!(error instanceof TellModel) && !(error instanceof TellPerson)) throw error;
    const output = run.redact(error.message);
    if (error instanceof TellPerson) return { ...refused(open, output), halt: 'failed' };
    return refused(open, again(run.history, open, output));
  }
}

const again = (history: History, { call }: OpenCall, output: string): string =>
  history.timesInARow(call) > 0 ? `${output}\n${SAME_AGAIN}` : output;

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

const done = (
  { reply, index }: OpenCall,
  { output, effects = [], halt }: ToolResult,
): CallFinished => ({
  type: 'call_finished',
  reply,
  index,
  ok: halt !== 'failed',
  output,
  effects,
  halt: halt ?? null,
});

const refused = ({ reply, index }: OpenCall, output: string): CallFinished => ({
  type: 'call_finished',
  reply,
  index,
  ok: false,
  output,
  effects: [],
  halt: null,
});

/** The end of a run that goes in circles. */
function stuck(open: OpenCall, title: string | undefined): CallFinished {
  const what = title === undefined ? 'an impossible call' : `“${title}”`;
  const words = `The model asked for the same thing ${MOST_REPEATS} times in a row (${what}), although it had the answer: it goes in circles. Say more in the issue, or choose another model.`;
  return { ...refused(open, words), halt: 'failed' };
}

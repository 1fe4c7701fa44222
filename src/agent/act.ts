import { sharedTime } from '../lib/clock.ts';
import { TellModel, TellPerson } from '../lib/errors.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { prepare, type PreparationResult, type PreparedCall, type Toolbox } from './dispatch.ts';
import type { CallFinished } from '../contracts/entries.ts';
import { MOST_REPEATS, nearlyUsed } from './limits.ts';
import { roomForResult } from './make-room.ts';
import type { FinishedCall, History, OpenCall } from './history.ts';
import {
  AFTER_END,
  AFTER_FAILED_EDIT,
  AFTER_FAILED_REPLY,
  AFTER_RED_TESTS,
  cutToRoom,
  LEAVE_OUT,
  leftOpen,
  REPEATED,
  SAME_AGAIN,
  TESTS_WERE_RED,
  TIME_IS_UP,
} from './prompts/replies.ts';
import { spentBy, type Run, type Steps } from './agent-run.ts';
import type { CallContext, ToolResult } from '../contracts/tool.ts';
import type { Effect } from '../contracts/effect.ts';

/** Runs the calls of the last reply that have no result yet, in order. */
export async function* act(run: Run): Steps<void> {
  const { history } = run;
  for (let open = history.openCall; open !== undefined; open = history.openCall) {
    const prepared = prepare(run.tools, open.call, history.heldBack(open.call.tool));
    const skip = await skipReason(run, open, prepared);
    if (skip === undefined) yield* runCall(run, open, prepared);
    else history.add(yield failed(open, skip));
  }
}

/** Why a call must not be run. */
async function skipReason(
  run: Run,
  open: OpenCall,
  prepared: PreparationResult,
): Promise<string | undefined> {
  const { history, tools, io, limits } = run;
  const { finishedCalls } = history;
  const ended = finishedCalls.find(({ result }) => result.halt !== null);
  const isKnown = !('fault' in prepared);
  if (ended !== undefined)
    return isKnown && prepared.isForPeople && ended.result.halt !== 'failed'
      ? undefined
      : AFTER_END;
  if (isKnown) {
    const held = (why: string): string => (prepared.keepsArguments ? why + LEAVE_OUT : why);
    if (waitsForEdit(tools, finishedCalls, prepared)) return held(AFTER_FAILED_EDIT);
    if (prepared.waitsFor === 'edits and tests' && testsFailed(finishedCalls))
      return held(AFTER_RED_TESTS);
    const wait = prepared.endsWork ? await whyNotYet(run, open) : undefined;
    // Once: then it is for the model to judge.
    if (wait !== undefined && held(wait) !== history.heldFor) return held(wait);
  }
  return io.elapsedMs() >= limits.wallTimeMs ? TIME_IS_UP : undefined;
}

/** A call that a crash interrupted may have ended the work already; and without room for another reply, it has to end. */
async function whyNotYet(run: Run, open: OpenCall): Promise<string | undefined> {
  const { history, tools, io, limits, mode } = run;
  if (open.startedAt !== undefined || mode === 'single') return undefined;
  if (nearlyUsed(limits, await spentBy(run)) !== undefined) return undefined;
  return lostReply(tools, history.finishedCalls) ? AFTER_FAILED_REPLY : io.whyNotYet?.();
}

/**
 * Closes the calls that an earlier run left open, so that the next run does not begin with them. One
 * that had been started may have had its effect outside the workspace.
 */
export async function* abandonCalls(history: History): Steps<void> {
  for (let open = history.openCall; open !== undefined; open = history.openCall)
    history.add(yield failed(open, leftOpen(open.startedAt !== undefined)));
}

async function* runCall(run: Run, open: OpenCall, prepared: PreparationResult): Steps<void> {
  const { history } = run;
  if (history.timesInARow(open.call) >= MOST_REPEATS - 1) {
    history.add(yield stuck(open, 'title' in prepared ? run.io.redact(prepared.title) : undefined));
    return;
  }
  if ('fault' in prepared) {
    history.add(yield failed(open, again(history, open, prepared.fault)));
    return;
  }
  const title = run.io.redact(prepared.title);
  if (prepared.reach === 'workspace' && open.startedAt === undefined) {
    history.add(
      yield { ...(await execute(run, open, prepared, { startedAt: sharedTime() })), title },
    );
    return;
  }
  const isRepeat = open.startedAt !== undefined;
  const startedAt = new Date(open.startedAt ?? (yield* start(history, open, title)));
  history.add(yield await execute(run, open, prepared, { startedAt, isRepeat }));
}

/** The ISO time at which the call is journaled as started. */
async function* start(history: History, { reply, index }: OpenCall, title: string): Steps<string> {
  const started = yield { type: 'call_started', reply, index, title };
  history.add(started);
  return started.at;
}

/** What came of a call. Errors that neither the model nor a person can do anything about are thrown on. */
async function execute(
  run: Run,
  open: OpenCall,
  prepared: PreparedCall,
  begun: Pick<CallContext, 'startedAt' | 'isRepeat'>,
): Promise<CallFinished> {
  try {
    run.signal.throwIfAborted();
    const { reply, index } = open;
    const progress = (text: string): void => run.io.progress({ reply, index }, text);
    const tools = new Set(run.tools.list.map(({ name }) => name));
    const room = roomForResult(run);
    const result = await prepared.run({ ...begun, signal: run.signal, tools, room, progress });
    const { output: said, ...rest } = result;
    const seen = await run.io.redactForModel(said);
    // What ends the run is for people.
    const isWhole = room === undefined || result.halt !== undefined;
    const output = isWhole ? seen : cutToRoom(seen, room);
    const isRed = prepared.waitsFor !== undefined && testsFailed(run.history.finishedCalls);
    const told = isRed
      ? `${output}
${TESTS_WERE_RED}`
      : output;
    return done(open, {
      ...redacted(rest, run.io.redact),
      output: again(run.history, open, told),
    });
  } catch (error) {
    if (!(error instanceof TellModel) && !(error instanceof TellPerson)) throw error;
    if (error instanceof TellPerson)
      return { ...failed(open, run.io.redact(error.message)), halt: 'failed' };
    const output = await run.io.redactForModel(error.message);
    return failed(open, again(run.history, open, output));
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
  { output, effects = [], ok = true, halt }: ToolResult,
): CallFinished => ({
  type: 'call_finished',
  reply,
  index,
  ok: ok && halt !== 'failed',
  output,
  effects,
  halt: halt ?? null,
});

const failed = (open: OpenCall, output: string): CallFinished => done(open, { output, ok: false });

/** A call that is repeated without end ends the run. */
const stuck = (open: OpenCall, title: string | undefined): CallFinished => ({
  ...failed(open, REPEATED),
  halt: 'repeated',
  ...withoutUndefined({ title }),
});

// Which calls of a reply depend on the ones before them.

/** Whether an edit that a call depends on did not apply: one of the same file, or any before publishing. */
function waitsForEdit(
  tools: Toolbox,
  finished: readonly FinishedCall[],
  { edits = [], waitsFor }: PreparedCall,
): boolean {
  const failed = finished.flatMap((call) => failedEdit(tools, call) ?? []);
  const files = new Set(failed.flatMap((edit) => edit.files));
  return (
    (waitsFor !== undefined && failed.length > 0) || edits.some((path) => files.has(sameFile(path)))
  );
}

/** The edit that did not apply. What no tool could take may have been meant as one. */
function failedEdit(
  tools: Toolbox,
  { call, result }: FinishedCall,
): { readonly files: readonly string[] } | undefined {
  if (result.ok) return undefined;
  const tool = tools.named.get(call.tool);
  if (tool !== undefined && tool.edits === undefined) return undefined;
  const prepared = prepare(tools, call);
  const files = 'fault' in prepared ? [] : (prepared.edits ?? []);
  return { files: files.map(sameFile) };
}

/** `./a//b.ts` is `a/b.ts`. */
const sameFile = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

/** Whether words for someone did not get through. */
const lostReply = ({ named }: Toolbox, finished: readonly FinishedCall[]): boolean =>
  finished.some(({ call, result }) => !result.ok && named.get(call.tool)?.isForPeople === true);

/** Whether the last tests failed or could not run, by a tool for them or by any command. */
const testsFailed = (finished: readonly FinishedCall[]): boolean =>
  finished
    .flatMap(({ result }) => result.effects)
    .map(areRed)
    .findLast((isRed) => isRed !== undefined) ?? false;

/**
 * The one rule of what makes tests red: a failure that they report, or a test run that did not end well, whatever the
 * reason: who finishes in the same reply has not read it. `undefined`: no tests were to run.
 */
function areRed(effect: Effect): boolean | undefined {
  if (effect.type !== 'tests' && effect.type !== 'command') return undefined;
  const { failed, exitCode, ended } = effect;
  if (typeof failed === 'number' && failed > 0) return true;
  if (effect.type === 'command') return failed === undefined ? undefined : failed !== 0;
  return ended !== 'exited' || exitCode !== 0;
}

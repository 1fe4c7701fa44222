// A journal again, without a network, a workspace or a database: the agent's loop runs on what the model and the tools
// answered then, and what it yields is compared with what it yielded.
import { abandonCalls } from '../../agent/act.ts';
import type { LoopEnd } from '../../agent/limits.ts';
import { History } from '../../agent/history.ts';
import { runLoop } from '../../agent/loop.ts';
import type { Steps } from '../../agent/agent-run.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { reasonFor } from '../../session/texts/run-ends.ts';
import { addTo } from '../run/conversation.ts';
import { NotRecorded, recordedRun } from './recorded-run.ts';
import { isBoundary, RecordedSession, type Boundary } from './recording.ts';
import { isDeepStrictEqual } from 'node:util';
import type { AgentEntry, NewAgentEntry } from '../../contracts/entries.ts';

export interface ReplayResult {
  readonly runs: number;
  /** Entries that were compared. */
  readonly compared: number;
  /** After the first one of a run, it continues as it was recorded, as far as that is possible. */
  readonly differences: readonly ReplayDifference[];
}

/** `id`: the session's. The entries are a whole journal. */
export async function replayJournal(id: string, entries: readonly Entry[]): Promise<ReplayResult> {
  const replaying = new Replay(id, entries);
  await replaying.run();
  return replaying;
}

class Replay implements ReplayResult {
  readonly #id: string;
  readonly #recording: RecordedSession;
  readonly #history = new History();
  /** How the present run was prepared; `undefined`: it was not yet, or there is none. */
  #prepared: EntryOf<'run_prepared'> | undefined;
  runs = 0;
  compared = 0;
  readonly differences: ReplayDifference[] = [];

  constructor(id: string, entries: readonly Entry[]) {
    this.#id = id;
    this.#recording = new RecordedSession(entries);
  }

  async run(): Promise<void> {
    for (;;) {
      const next = this.#recording.nextStep();
      if (next === undefined) return;
      if (isBoundary(next)) this.#cross(next);
      else await this.#stretch();
    }
  }

  #cross(boundary: Boundary): void {
    this.#recording.take();
    addTo(this.#history, boundary);
    const { type } = boundary;
    if (type === 'run_started') this.runs += 1;
    if (type === 'run_prepared') this.#prepared = boundary;
    else if (type === 'run_started' || type === 'run_ended' || type === 'branch_moved')
      this.#prepared = undefined;
  }

  /** The loop, from where it began or was resumed to where it was left. */
  async #stretch(): Promise<void> {
    const steps = this.#begin();
    try {
      const end = await this.#drive(steps);
      if (end !== 'differs') this.#compareEnd(end);
    } catch (error) {
      if (!(error instanceof NotRecorded)) throw error;
      this.#compareEnd({ wish: error.wish });
    } finally {
      for (let next = this.#recording.nextStep(); next !== undefined && !isBoundary(next);) {
        this.#recording.take();
        this.#history.add(next);
        next = this.#recording.nextStep();
      }
    }
  }

  /** Before a run is prepared, the calls that the last one left open are closed. */
  #begin(): Steps<LoopEnd | void> {
    const prepared = this.#prepared;
    if (prepared === undefined) return abandonCalls(this.#history);
    return runLoop(recordedRun({ prepared, history: this.#history, recording: this.#recording }));
  }

  /** Hands back each step as it was recorded, so that a difference has no others in its wake. */
  async #drive(steps: Steps<LoopEnd | void>): Promise<LoopEnd | void | 'differs'> {
    let step = await steps.next();
    while (step.done !== true) {
      const next = this.#recording.nextStep();
      if (next === undefined) return 'differs';
      if (isBoundary(next)) {
        await steps.return(undefined);
        throw new NotRecorded(step.value);
      }
      this.compared += 1;
      this.differences.push(...differencesIn(next, step.value));
      if (next.type !== step.value.type) return 'differs';
      this.#recording.take();
      step = await steps.next(next);
    }
    return step.value;
  }

  #differ(recorded: Entry, replayed: unknown): void {
    this.differences.push({ seq: recorded.seq, type: recorded.type, recorded, replayed });
  }

  /** `end`: what the loop ended with, or what it asked for when nothing more was recorded. */
  #compareEnd(end: LoopEnd | void | Wish): void {
    const next = this.#recording.nextStep();
    if (end === undefined || next === undefined) return;
    if (!isBoundary(next)) this.#differ(next, end);
    // Otherwise something else ended the run, or left it: people, a failure, the end of the process.
    else if (
      next.type === 'run_ended' &&
      BY_THE_LOOP.has(next.end.kind) &&
      !this.#isSame(next, end)
    )
      this.#differ(next, end);
  }

  #isSame({ end: was }: EntryOf<'run_ended'>, end: LoopEnd | Wish): boolean {
    if ('wish' in end || end.kind !== was.kind) return false;
    const reason = end.kind === 'limit' ? reasonFor(end, this.#id) : undefined;
    return reason === undefined || !('reason' in was) || was.reason === reason;
  }
}

/** What the loop would do next. */
type Wish = Pick<NotRecorded, 'wish'>;

/** Ends that nothing but the loop itself brings about. */
const BY_THE_LOOP: ReadonlySet<string> = new Set(['asked', 'finished', 'answered', 'limit']);

/** What a replay does otherwise. */
export interface ReplayDifference {
  /** The entry of the journal. */
  readonly seq: number;
  readonly type: Entry['type'];
  /** The field that differs; missing: the whole step does. */
  readonly field?: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/** What depends on the clock and on what is there besides the conversation. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  'seq',
  'at',
  'durationMs',
  'changedFiles',
  'leftOutFiles',
  'documents',
]);

/** By their fields, in the order of the journal. */
function differencesIn(recorded: AgentEntry, replayed: NewAgentEntry): readonly ReplayDifference[] {
  const { seq, type } = recorded;
  if (type !== replayed.type) return [{ seq, type, recorded, replayed }];
  // As JSON has them: a field without a value is none.
  const [was, is] = [recorded, replayed].map(
    (entry) => new Map(Object.entries(JSON.parse(JSON.stringify(entry)) as object)),
  );
  const fields = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])]);
  return [...fields]
    .filter((field) => !NOT_COMPARED.has(field))
    .filter((field) => !isDeepStrictEqual(was?.get(field), is?.get(field)))
    .map((field) => ({ seq, type, field, recorded: was?.get(field), replayed: is?.get(field) }));
}

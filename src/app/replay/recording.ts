import { isAgentEntry } from '../run/conversation.ts';
import type { AgentEntry, CallFinished, CallPlace } from '../../contracts/entries.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { apply, fold } from '../../session/fold/fold.ts';
import { entryAt } from '../../session/kept-entries.ts';
import type { Session } from '../../session/session.ts';
import type { ServerTool } from '../../contracts/mcp.ts';
import type { Tool } from '../../contracts/tool.ts';
import { ANSWER_TOOL } from '../../lib/server-tool-name.ts';
import { TITLE_OF_ANSWER } from '../../mcp/questions.ts';
import { jsonArguments } from '../../mcp/made-safe.ts';
import { titleOfCall } from '../../mcp/server-tool.ts';
import { withRun } from '../../tools/define-tool.ts';
import { TOOLS } from '../../tools/index.ts';

/** Where the agent's loop begins, or is left, in a journal. */
export type Boundary = EntryOf<
  | 'run_started'
  | 'run_prepared'
  | 'run_resumed'
  | 'run_deferred'
  | 'run_paused'
  | 'run_ended'
  | 'branch_moved'
  | 'merge_started'
  | 'merge_ended'
>;

const BOUNDARIES: Readonly<Record<Boundary['type'], true>> = {
  run_started: true,
  run_prepared: true,
  run_resumed: true,
  run_deferred: true,
  run_paused: true,
  run_ended: true,
  branch_moved: true,
  // A run that people allow more than it began with is left for a merge, without a word of its own.
  merge_started: true,
  merge_ended: true,
};

export const isBoundary = (entry: Entry): entry is Boundary =>
  Object.hasOwn(BOUNDARIES, entry.type);

/** A journal that is read a second time, entry by entry, and the session as of the last one that was taken. */
export class RecordedSession {
  readonly #entries: readonly Entry[];
  #at = 1;
  #session: Session;
  /** The time at which what was taken last was journaled, ISO. */
  #now: string;

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    this.#session = fold(entries.slice(0, 1));
    this.#now = this.#session.at;
  }

  get session(): Session {
    return this.#session;
  }

  /** The next entry, whatever it is; `undefined` at the end. */
  get next(): Entry | undefined {
    return this.#entries[this.#at];
  }

  take(): Entry | undefined {
    const { next } = this;
    if (next === undefined) return undefined;
    this.#at += 1;
    this.#session = apply(this.#session, next);
    this.#now = next.at;
    return next;
  }

  /**
   * What the loop of this run yielded next, once all that others wrote before it is taken; the boundary at which the loop
   * was left; or `undefined` at the end of the journal.
   */
  nextStep(): AgentEntry | Boundary | undefined {
    for (;;) {
      const { next } = this;
      if (next === undefined || isBoundary(next) || isAgentEntry(next)) return next;
      this.take();
    }
  }

  /** The entries that the loop yielded from here on, until it was left. */
  steps(): readonly AgentEntry[] {
    const steps: AgentEntry[] = [];
    for (const entry of this.#entries.slice(this.#at)) {
      if (isBoundary(entry)) break;
      if (isAgentEntry(entry)) steps.push(entry);
    }
    return steps;
  }

  /** The names of the tools whose calls were carried out from here on, until the loop was left. */
  toolsCalled(): readonly string[] {
    return this.steps().flatMap((step) => {
      const isCarriedOut =
        step.type === 'call_started' || (step.type === 'call_finished' && step.ok);
      const reply = isCarriedOut ? entryAt(this.#entries, step.reply) : undefined;
      const call = reply?.type === 'reply' && isCarriedOut ? reply.calls[step.index] : undefined;
      return call === undefined ? [] : [call.tool];
    });
  }

  /** The result of a call that was made before the loop was left. */
  resultOf({ reply, index }: CallPlace): CallFinished | undefined {
    return this.steps()
      .filter((entry) => entry.type === 'call_finished')
      .find((entry) => entry.reply === reply && entry.index === index);
  }

  /** Milliseconds of the epoch: when the step that comes next was decided, as far as the journal says. */
  now(): number {
    const next = this.nextStep();
    // At a boundary nothing else happened meanwhile: a limit of time was reached in between.
    return Date.parse(next !== undefined && isBoundary(next) ? next.at : this.#now);
  }
}

// The tools of a run as its journal names them, without what they reach.

/**
 * In the order of the run; all that there are if the journal does not name them. `run`: what each call does. `besides`: names
 * of others that it had later, when people allowed more.
 */
export function toolsOf(
  { tools, serverTools = [] }: EntryOf<'run_prepared'>,
  run: Tool['run'],
  besides: readonly string[] = [],
): readonly Tool[] {
  const known = [
    ...TOOLS.map((tool) => withRun(tool, run)),
    ...serverTools.map((tool) => serverTool(tool, run)),
    answerTool(run),
  ];
  if (tools === undefined) return known;
  const named = [...tools, ...besides].flatMap((name) => known.find(isNamed(name)) ?? []);
  return [...new Set(named)];
}

const isNamed =
  (name: string) =>
  (tool: Tool): boolean =>
    tool.name === name || tool.aliases.includes(name);

const serverTool = (described: ServerTool, run: Tool['run']): Tool => ({
  name: described.name,
  aliases: [],
  description: described.description,
  arguments: jsonArguments(described.parameters),
  safety: 'dangerous',
  // Whether its call was run, its result says.
  changesNothing: () => true,
  rendering: { arguments: {}, output: 'plain' },
  title: () => titleOfCall(described),
  run,
});

/** What it takes depends on the question of a server, which is not asked again. */
const answerTool = (run: Tool['run']): Tool => ({
  name: ANSWER_TOOL,
  aliases: [],
  description: '',
  arguments: jsonArguments({}),
  safety: 'safe',
  changesNothing: () => true,
  rendering: { arguments: {}, output: 'plain' },
  title: () => TITLE_OF_ANSWER,
  run,
});

import type { PendingQuestion } from '../../../mcp/questions.ts';
import type { RunServers } from '../../../mcp/index.ts';
import type { CallPlace } from '../../../contracts/entries.ts';
import { ANSWER_TOOL } from '../../../lib/server-tool-name.ts';
import type { WorkSoFar } from '../../../tools/define-tool.ts';
import type { Entry } from '../../../session/entry.ts';
import { entryAt } from '../../../session/kept-entries.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { RunPlan } from '../plan/plan.ts';
import type { RunScope } from '../../service/service.ts';

const NO_SERVERS: RunServers = {
  tools: [],
  described: [],
  unavailable: [],
  warnings: [],
  close: () => Promise.resolve(),
};

/** The MCP servers of a run, beside its workspace. A resumed run has the tools that it began with. */
export async function serversFor(
  { service: { log, redact }, tracker, signal }: RunScope,
  plan: RunPlan,
  workspace: Workspace,
  { answerWait }: Pick<WorkSoFar, 'answerWait'>,
): Promise<RunServers> {
  const { shells } = plan;
  const { servers, isWanted } = plan.servers;
  if (servers.length === 0) return NO_SERVERS;
  const { openRunServers } = await import('../../../mcp/index.ts');
  return openRunServers({
    servers,
    startProgram: shells && ((request) => shells.start(workspace.commands, request)),
    // A program reads every file: if some are closed to the agent, it reads none.
    seesWorkspace: (plan.paths.deny ?? []).length === 0,
    isWanted,
    known: plan.prepared && (plan.prepared.serverTools ?? []),
    pending: () => pendingIn(tracker.entries),
    answerWait,
    redact,
    log,
    signal,
  });
}

/**
 * The last question of a server, and whether someone who may answer has said something since. An answer is passed on
 * once: not again after a call that began with it, whatever became of that.
 */
export function pendingIn(entries: readonly Entry[]): PendingQuestion | undefined {
  const at = entries.findLastIndex((entry) => askedIn(entry) !== undefined);
  const call = at < 0 ? undefined : askedIn(entries[at]);
  const since = entries.slice(at + 1);
  if (call === undefined || isPassedOn(entries, since)) return undefined;
  return { call, isAnswered: since.some((entry) => isAnswer(entry, entries[at]?.seq ?? 0)) };
}

/** Whether a call of the answering tool that had begun is over. */
const isPassedOn = (entries: readonly Entry[], since: readonly Entry[]): boolean =>
  since.some(
    (entry) =>
      entry.type === 'call_started' &&
      toolOf(entry, entries) === ANSWER_TOOL &&
      since.some(
        (other) =>
          other.type === 'call_finished' &&
          other.reply === entry.reply &&
          other.index === entry.index,
      ),
  );

function toolOf({ reply, index }: CallPlace, entries: readonly Entry[]): string | undefined {
  const entry = entryAt(entries, reply);
  return entry?.type === 'reply' ? entry.calls[index]?.tool : undefined;
}

/** Words that came in after the question, and are more than a command. */
const isAnswer = (entry: Entry, question: number): boolean =>
  entry.type === 'admitted' &&
  entry.received > question &&
  entry.shown !== undefined &&
  entry.ask?.alone !== true;

function askedIn(entry: Entry | undefined): PendingQuestion['call'] | undefined {
  if (entry?.type !== 'call_finished') return undefined;
  return entry.effects.find((effect) => effect.type === 'server_question')?.call;
}

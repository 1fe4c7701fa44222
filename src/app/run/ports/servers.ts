import type { Notice } from '../../../agent/agent-run.ts';
import type { PendingQuestion } from '../../../mcp/answer-question.ts';
import type { RunServers } from '../../../mcp/index.ts';
import type { Work } from '../../../tools/ports.ts';
import type { Entry } from '../../../session/entry.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { RunPlan } from '../plan.ts';
import type { RunScope } from '../scope.ts';

const NO_SERVERS: RunServers = {
  tools: [],
  described: [],
  unavailable: [],
  warnings: [],
  close: () => Promise.resolve(),
};

/** The MCP servers of a run, beside its workspace. A resumed run has the tools that it began with. */
export async function serversFor(
  { service: { shells, log, redact }, tracker, signal }: RunScope,
  plan: RunPlan,
  workspace: Workspace,
  { answerWait }: Pick<Work, 'answerWait'>,
): Promise<RunServers> {
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
    log: log.child({ session: tracker.id }),
    signal,
  });
}

/** The last question of a server, and whether someone who may ask has said something since. */
function pendingIn(entries: readonly Entry[]): PendingQuestion | undefined {
  const at = entries.findLastIndex((entry) => askedIn(entry) !== undefined);
  const call = at < 0 ? undefined : askedIn(entries[at]);
  if (call === undefined) return undefined;
  return { call, isAnswered: entries.slice(at).some(({ type }) => type === 'admitted') };
}

function askedIn(entry: Entry | undefined): PendingQuestion['call'] | undefined {
  if (entry?.type !== 'call_finished') return undefined;
  return entry.effects.find((effect) => effect.type === 'server_question')?.call;
}

/** Not with their reasons, which are words of servers. */
export const serverNotices = ({ unavailable }: RunServers): readonly Notice[] =>
  unavailable.map((name) => ({
    topic: `mcp:${name}`,
    text: `The MCP server "${name}" is not available. This run works without its tools.`,
  }));

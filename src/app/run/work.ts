import type { Notice } from '../../agent/agent-run.ts';
import type { CallPlace } from '../../contracts/entries.ts';
import type { ServerTool } from '../../contracts/mcp.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { bindTools } from '../../tools/index.ts';
import { readSkill } from '../../tools/skills/read-skill.ts';
import { CallOutput } from './call-output.ts';
import { FolderInstructions } from './instructions/folder-instructions.ts';
import { templateNotices } from './instructions/pull-request-template.ts';
import { findSkills, type FoundSkills } from './instructions/skills.ts';
import { sourceOf } from './instructions/repository-instructions.ts';
import { planNotices } from './plan-first.ts';
import type { RunPlan } from './plan.ts';
import { forgeFor, workOf } from './ports/forge.ts';
import { memoriesFor } from './ports/memories.ts';
import { serverNotices, serversFor } from './ports/servers.ts';
import { publicGit } from './ports/public-git.ts';
import { reviewerFor } from './ports/reviewer.ts';
import { commandsFor } from './ports/workspace-commands.ts';
import { saveWork } from './save-work.ts';
import type { RunScope } from './scope.ts';
import { workspaceFor } from './workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';

/** What a run works with: a workspace and tools for it, or nothing. */
export interface Work {
  readonly tools: readonly Tool[];
  /** Those of MCP servers among them, for the journal. */
  readonly serverTools: readonly ServerTool[];
  /** What of its tools it works without, and why. Markdown. */
  readonly warnings: readonly string[];
  /** What the system prompt says of the repository's skills; may be empty. */
  readonly skills: string;
  /** What the model should be told before its next request. */
  readonly notices: () => Promise<readonly Notice[]>;
  /** Output of a call while it runs. Must not throw. */
  readonly progress: (call: CallPlace, text: string) => void;
  /** Waits until the output of the last call is journaled. */
  readonly settleOutput: () => Promise<void>;
  /** The file changes since the last call, once its output is journaled. */
  readonly drain: () => Promise<readonly StoredChange[]>;
  /** Commits what the run changed and did not commit. */
  readonly save: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** For an answer without tools, nothing is cloned. */
const NO_WORK: Work = {
  tools: [],
  serverTools: [],
  warnings: [],
  skills: '',
  notices: () => Promise.resolve([]),
  progress: () => {},
  settleOutput: () => Promise.resolve(),
  drain: () => Promise.resolve([]),
  save: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

export async function openWork(scope: RunScope, plan: RunPlan): Promise<Work> {
  if (plan.mode === 'completion') return NO_WORK;
  // Nobody pays for work that could not be pushed: the model is asked only after this.
  await scope.github.gitToken('write');
  const workspace = await workspaceFor(scope, plan);
  const { service, tracker, github } = scope;
  const source = sourceOf(scope);
  const folders = foldersOf(scope, plan, workspace);
  const git = publicGit(service, workspace, plan);
  const work = workOf(tracker, { ...plan.destination, questionTimeout: plan.questionTimeout });
  const skills = await openBeside(workspace, () => findSkills(workspace.files, source));
  // Last: whatever fails after this would have to close the servers too.
  const servers = await openBeside(workspace, () => serversFor(scope, plan, workspace, work));
  const forge = forgeFor({ ...service, tracker, github }, plan);
  const tools = bindTools({
    files: folders.files,
    search: folders.search,
    git,
    forge,
    work,
    commands: commandsFor({ ...service, tracker }, plan, workspace),
    memories: memoriesFor({ ...service, tracker, github }),
    skills,
    reviewer: reviewerFor({ ...service, tracker, forge }, plan),
  });
  const template = templateNotices({ ...source, files: workspace.files, tracker });
  const output = new CallOutput(tracker, service.redact);
  return {
    tools: [...tools.filter((one) => isOffered(one, plan, skills)), ...servers.tools],
    serverTools: servers.described,
    warnings: servers.warnings,
    skills: plan.tools.has(readSkill.name) ? skills.section : '',
    notices: async () => [
      ...serverNotices(servers),
      ...planNotices(tracker.session),
      ...(await folders.next()),
      ...(await template()),
    ],
    progress: (call, text) => output.hear(call, text),
    settleOutput: () => output.settle(),
    drain: async () => {
      await output.settle();
      return workspace.drain();
    },
    save: () => saveWork({ tracker, log: service.log }, git),
    close: () => closeAll(servers, workspace),
  };
}

const isOffered = ({ name }: Tool, { tools }: RunPlan, { count }: FoundSkills): boolean =>
  tools.has(name) && (name !== readSkill.name || count > 0);

const foldersOf = (
  scope: RunScope,
  { instructionFiles: names }: RunPlan,
  { files, search }: Pick<Workspace, 'files' | 'search'>,
): FolderInstructions =>
  new FolderInstructions({ ...sourceOf(scope), files, search, names, journal: scope.tracker });

interface Closed {
  close(): Promise<void>;
}

/** One after the other, even if one fails. */
async function closeAll(first: Closed, last: Closed): Promise<void> {
  try {
    await first.close();
  } finally {
    await last.close();
  }
}

/** Opens what lives beside the workspace; if that fails, the workspace goes too. */
async function openBeside<T>(workspace: Pick<Work, 'close'>, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

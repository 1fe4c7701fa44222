import type { Notice } from '../../agent/agent-run.ts';
import type { CallPlace } from '../../contracts/entries.ts';
import type { ServerTool } from '../../contracts/mcp.ts';
import type { Tool } from '../../contracts/tool.ts';
import type {
  DirectoryEntry,
  FileLister,
  FileReader,
  StoredChange,
} from '../../contracts/files.ts';
import type { Forge } from '../../contracts/forge.ts';
import { explainDenial } from '../../github/access/tokens.ts';
import { measured, timed } from '../../lib/measurements.ts';
import { bindTools } from '../../tools/index.ts';
import type { Ports, Secrets } from '../../tools/define-tool.ts';
import { readSkill } from '../../tools/skills/read-skill.ts';
import { CallOutput } from './call-output.ts';
import { FolderInstructions } from './instructions/folder-instructions.ts';
import { findSkills } from './instructions/skills.ts';
import { sourceOf } from './instructions/repository-instructions.ts';
import type { Git, WorkspaceMerge } from '../../contracts/git.ts';
import { changesNothing, inOrderOf, offeredTools, withoutMemories } from './plan/offered-tools.ts';
import { takeSuggestions } from './suggestions.ts';
import { noticesOfRun } from './notices.ts';
import type { RunPlan } from './plan/plan.ts';
import { forgeFor, workOf } from './ports/forge.ts';
import { memoriesFor } from './ports/memories.ts';
import { serversFor } from './ports/servers.ts';
import { modelSecrets } from './ports/model-secrets.ts';
import { patchesFor } from './ports/patches.ts';
import { publicGit } from './ports/public-git.ts';
import { reviewerFor } from './ports/reviewer.ts';
import { commandsFor } from './ports/workspace-commands.ts';
import { saveWork } from './save-work.ts';
import type { RunScope } from '../service/service.ts';
import { workspaceFor } from './workspace.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { TellModel, unless } from '../../lib/errors.ts';
import { shownPath } from '../../lib/text/invisible.ts';
import { numberedText } from '../../tools/files/read-file.ts';

/** What a run works with: a workspace and tools for it, or nothing. */
export interface RunWork {
  readonly tools: readonly Tool[];
  readonly git: Git;
  /** What came of the merge that the workspace was to open with. */
  readonly merge: WorkspaceMerge | undefined;
  /** Whether the agent may change the file at a path. */
  readonly mayChange: (path: string) => boolean;
  /** Its tools change nothing, because it reviews or people do not let it push. */
  readonly onlyLooks: boolean;
  /** Its workspace has other files than the branch, and has to be opened again. */
  readonly isOutdated: () => boolean;
  /** Those of MCP servers among them, for the journal. */
  readonly serverTools: readonly ServerTool[];
  /** What of its tools it works without, and why. Markdown. */
  readonly warnings: readonly string[];
  /** What the system prompt says of the repository's skills; may be empty. */
  readonly skills: string;
  /** What the model should be told before its next request. */
  readonly notices: () => Promise<readonly Notice[]>;
  /** What the model does not see. */
  readonly secrets: Secrets;
  /** The files of a small repository; empty for others. */
  readonly listFiles: () => Promise<string>;
  /** Applies what a review suggests, before the model reads it. */
  readonly takeSuggestions: (withdrawn: ReadonlySet<number>) => Promise<void>;
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
const noWork = ({ hide }: RunScope['service']): RunWork => ({
  tools: [],
  git: {
    changes: () => Promise.resolve([]),
    inLfs: () => Promise.resolve([]),
    diff: () => Promise.resolve([]),
    includeMade: () => Promise.resolve(),
    workflowChange: () => Promise.resolve(undefined),
    commit: () => Promise.resolve(undefined),
    recover: () => Promise.resolve(undefined),
  },
  merge: undefined,
  mayChange: () => false,
  onlyLooks: false,
  isOutdated: () => false,
  serverTools: [],
  warnings: [],
  skills: '',
  secrets: { hide: async (text) => hide(text) },
  notices: () => Promise.resolve([]),
  listFiles: () => Promise.resolve(''),
  takeSuggestions: () => Promise.resolve(),
  progress: () => {},
  settleOutput: () => Promise.resolve(),
  drain: () => Promise.resolve([]),
  save: () => Promise.resolve(),
  close: () => Promise.resolve(),
});

export async function openWork(scope: RunScope, plan: RunPlan): Promise<RunWork> {
  if (plan.mode === 'completion') return noWork(scope.service);
  // Nobody pays for work that could not be pushed: the model is asked only after this.
  await scope.github.gitToken(plan.isReview || plan.isSplit ? 'read' : 'write');
  const workspace = await workspaceFor(scope, plan);
  const { service, tracker, github } = scope;
  const source = sourceOf(scope);
  const folders = foldersOf(scope, plan, workspace);
  const git = publicGit({ ...service, tracker, github }, workspace, plan);
  const work = workOf(tracker, { ...plan.destination, questionTimeout: plan.questionTimeout });
  const skills = await openBeside(workspace, () => findSkills(workspace.files, source));
  // Last: whatever fails after this would have to close the servers too.
  const servers = await openBeside(workspace, () => serversFor(scope, plan, workspace, work));
  const forge = forgeFor({ ...service, tracker, github }, plan);
  const patches = patchesFor({ ...service, tracker, forge, git, workspace });
  const ports = { files: folders.files, search: folders.search, git, forge, work, skills, patches };
  const others = portsOf({ scope, plan, workspace, forge, programs: await plan.shells?.programs });
  const all = bindTools({ ...ports, ...others });
  // Without a place for memories, no run has the tools for them.
  const tools = service.store.memories === undefined ? withoutMemories(all) : all;
  const offered = offeredTools(tools, tracker.session, plan, skills);
  const about = { tracker, forge, servers, folders, tools: offered };
  // Of this run or an earlier one.
  const prepared = tracker.entries.findLast((entry) => entry.type === 'run_prepared');
  return {
    tools: inOrderOf(prepared?.tools ?? [], [
      ...offered.map((tool) => told(explained(tool, github), tool.name)),
      ...servers.tools.map((tool) => told(tool, 'mcp')),
    ]),
    git,
    secrets: others.secrets,
    merge: workspace.merge,
    mayChange: (path) => workspace.files.mayKeep(path),
    onlyLooks: changesNothing(tracker.session),
    isOutdated: workspace.isOutdated,
    serverTools: servers.described,
    warnings: servers.warnings,
    skills: plan.tools.has(readSkill.name) ? skills.section : '',
    notices: noticesOfRun({ ...source, ...workspace, ...others, ...about }, github.borrowed?.paths),
    listFiles: () => listSmallRepository(workspace.files, others.secrets),
    takeSuggestions: (withdrawn) => takeSuggestions({ tracker, workspace }, withdrawn),
    ...outputOf(new CallOutput(tracker, service.redact), workspace),
    save: () => saveWork({ tracker, log: service.log }, git),
    close: () => closeAll(servers, workspace),
  };
}

const outputOf = (
  output: CallOutput,
  workspace: Workspace,
): Pick<RunWork, 'progress' | 'settleOutput' | 'drain'> => ({
  progress: (call, text) => output.hear(call, text),
  settleOutput: () => output.settle(),
  drain: async () => {
    await output.settle();
    return workspace.drain();
  },
});

/** A denial that only shows that the App has no access for now is no result of the call, which is made again. */
const explained = (tool: Tool, github: RunScope['github']): Tool => ({
  ...tool,
  run: (args, context) =>
    tool.run(args, context).catch(async (error: unknown) => {
      throw await explainDenial(error, github);
    }),
});

/** The same, measured under a `label` that no server chooses. */
const told = (tool: Tool, label: string): Tool => ({
  ...tool,
  run: (args, context) =>
    timed(
      { kind: 'tool_call', name: tool.name },
      () => tool.run(args, context),
      ({ outcome, seconds, result }) =>
        measured('tool_call', {
          tool: label,
          outcome: result?.ok === false ? 'denied' : outcome,
          seconds,
        }),
    ),
});

interface WorkScope {
  readonly scope: RunScope;
  readonly plan: RunPlan;
  readonly workspace: Workspace;
  readonly forge: Forge;
  /** That commands find; missing without commands. */
  readonly programs: string | undefined;
}

function portsOf({
  scope,
  plan,
  workspace,
  forge,
  programs,
}: WorkScope): Pick<Ports, 'commands' | 'memories' | 'reviewer' | 'secrets'> {
  const { service, github, signal } = scope;
  const isUncontained = plan.shells?.kind === 'unsafe';
  const secrets = modelSecrets({ service, github, workspace, isUncontained, signal });
  return {
    commands: commandsFor(scope, plan, workspace, programs),
    memories: memoriesFor({ ...service, ...scope }),
    reviewer: reviewerFor({ ...service, ...scope, forge, secrets }, plan),
    secrets,
  };
}

const foldersOf = (
  scope: RunScope,
  { instructionFiles: names, paths }: RunPlan,
  { files, search }: Workspace,
): FolderInstructions =>
  new FolderInstructions({
    ...sourceOf(scope, paths),
    files,
    search,
    names,
    journal: scope.tracker,
  });

interface Closable {
  close(): Promise<void>;
}

/** One after the other, even if one fails. */
async function closeAll(first: Closable, last: Closable): Promise<void> {
  try {
    await first.close();
  } finally {
    await last.close();
  }
}

/** Opens what lives beside the workspace; if that fails, the workspace goes too. */
async function openBeside<T>(workspace: Closable, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

/** Of files and directories, so that little is read of a large repository. */
const MOST_ENTRIES = 80;
const MOST_CHARACTERS = 1_500;
/** Of all files together, in bytes: to send them costs less than the request that reads them. */
const MOST_BYTES = 4_000;

interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/**
 * The files of a small repository, a line for each directory, and what they contain if that is little: a model reads at
 * once what it would look for first. Empty if there are more files. Each line is indented.
 */
export async function listSmallRepository(
  files: FileLister & FileReader,
  secrets: Secrets,
): Promise<string> {
  const lines: string[] = [];
  const listed: ListedFile[] = [];
  const left = ['.'];
  let entries = 0;
  for (let directory = left.shift(); directory !== undefined; directory = left.shift()) {
    const found = (await files.list(directory)).filter(({ isIgnored }) => !isIgnored);
    entries += found.length;
    if (entries > MOST_ENTRIES || found.some(({ isOutside }) => isOutside === true)) return '';
    const { directory: below = [], ...others } = Object.groupBy(found, ({ kind }) => kind);
    for (const { name } of below) left.push(pathIn(directory, name));
    const rest = Object.values(others).flat();
    listed.push(...rest.map((entry) => fileIn(directory, entry)));
    const names = rest.map(({ name }) => shownPath(name));
    if (names.length > 0) lines.push(`    ${shownPath(directory)}/: ${names.join(', ')}`);
  }
  const text = lines.join('\n');
  if (text.length > MOST_CHARACTERS) return '';
  return [text, ...(await contentsOf(listed, files, secrets))].join('\n');
}

const pathIn = (directory: string, name: string): string =>
  directory === '.' ? name : `${directory}/${name}`;

/** A link or anything else that is no file counts as too large to be read. */
const fileIn = (directory: string, { name, kind, size }: DirectoryEntry): ListedFile => ({
  path: pathIn(directory, name),
  size: kind === 'file' ? size : Infinity,
});

/** All of them, or none: who sees a part reads the rest in the same request as before. */
async function contentsOf(
  listed: readonly ListedFile[],
  files: FileReader,
  secrets: Secrets,
): Promise<readonly string[]> {
  if (listed.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) return [];
  const shown: string[] = [];
  for (const { path } of listed) {
    const content = await unless(TellModel, numberedText(files, path));
    if (content === undefined) return [];
    const { text } = await secrets.hide(content);
    shown.push(`    ${shownPath(path)}, whole:`, ...text.split('\n').map((line) => `    ${line}`));
  }
  return shown;
}

// Which of the chosen tools a run gets, by what it works on and what people allow.
import { TellPerson } from '../../../lib/errors.ts';
import { isServerTool } from '../../../lib/server-tool-name.ts';
import type { FollowedSettings } from '../../admission/settings.ts';
import { chooseTools } from '../../../tools/choose-tools.ts';
import { TOOLS } from '../../../tools/index.ts';
import type { NamedTool, Tool, WorkKind } from '../../../contracts/tool.ts';
import type { Session } from '../../../session/session.ts';
import { remember } from '../../../tools/memory/remember.ts';
import { searchMemory } from '../../../tools/memory/search-memory.ts';
import { readSkill } from '../../../tools/skills/read-skill.ts';
import type { FoundSkills } from '../instructions/skills.ts';
import { PLAN_LABEL } from '../../../session/github-names.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { PlanScope } from '../../service/service.ts';
import type { ServerSettings } from '../../../mcp/settings.ts';
import { WORKFLOW_PERMISSION } from '../../../github/access/permissions.ts';
import { mayNotPush } from '../../../session/merging.ts';

/** Whether the run changes nothing: it reviews, proposes sub-issues, or people do not let it push. */
export const changesNothing = (session: Session): boolean =>
  session.run?.reviews !== undefined || session.run?.splits === true || mayNotPush(session);

/** With commands, which tell something of the code too; what they change stays in the workspace. */
const onlyLooks = (tool: Tool): boolean =>
  tool.safety === 'dangerous' ||
  tool.changesNothing !== undefined ||
  tool.isAllowedBeforeApproval !== undefined;

function kindOf({ thread: { adopted, folder, byHand }, run }: Session): WorkKind {
  if (run?.splits === true) return 'splits';
  if (folder !== undefined) return 'folders';
  if (byHand !== undefined) return 'issues by hand';
  return adopted === undefined ? 'issues' : 'pull requests of others';
}

/** It ends with a proposal: a plan, a question or work to publish would wait for something else. */
export const isForSplit = ({
  changesNothing: looks,
  worksOn,
}: Pick<Tool, 'changesNothing' | 'worksOn'>): boolean =>
  looks !== undefined || worksOn?.includes('splits') === true;

export function offeredTools(
  tools: readonly Tool[],
  session: Session,
  { tools: chosen }: { readonly tools: ReadonlySet<string> },
  { count }: FoundSkills,
): readonly Tool[] {
  const kind = kindOf(session);
  return tools
    .filter(
      (tool) =>
        chosen.has(tool.name) &&
        (tool.worksOn === undefined || tool.worksOn.includes(kind)) &&
        (tool.name !== readSkill.name || count > 0) &&
        (!changesNothing(session) || onlyLooks(tool)) &&
        (kind !== 'splits' || isForSplit(tool)),
    )
    .map((tool) => describedFor(kind, tool));
}

/**
 * Those of the runs before come first, in their order, so that what joins later is last: a provider's cache holds a
 * request from its beginning, where the tools are.
 */
export function inOrderOf(earlier: readonly string[], tools: readonly Tool[]): readonly Tool[] {
  const places = new Map(earlier.map((name, index) => [name, index]));
  const placeOf = ({ name }: Tool): number => places.get(name) ?? earlier.length;
  return tools.toSorted((one, other) => placeOf(one) - placeOf(other));
}

const describedFor = (kind: WorkKind, tool: Tool): Tool => {
  const description = tool.descriptions?.[kind];
  return description === undefined ? tool : { ...tool, description };
};

/** The tools that need no memories. */
export const withoutMemories = (tools: readonly Tool[]): readonly Tool[] =>
  tools.filter(({ name }) => name !== searchMemory.name && name !== remember.name);

// Runs whose plan people agree to before anything is changed.

/** Decided when the work of a session begins; what people have agreed to is not asked again. */
export async function comesPlanFirst(
  { tracker }: PlanScope,
  settings: RepositorySettings,
  labels: () => Promise<readonly string[]>,
): Promise<boolean> {
  const {
    waiting: { approval },
    thread: { folder },
  } = tracker.session;
  if (approval !== 'undecided') return approval === 'needed';
  if (settings.plan === 'ask') return true;
  if (folder !== undefined) return false;
  return (await labels()).includes(PLAN_LABEL);
}

/** While this holds, calls that change anything are not run. */
export const waitsForApproval = ({ waiting }: Session): boolean => waiting.approval === 'needed';

/**
 * A command can read every file. So if some are closed to the agent, those who closed them have to
 * ask for dangerous tools by name.
 */
export function chosenTools(read: FollowedSettings, allowsDangerous: boolean): ReadonlySet<string> {
  const { settings, source } = read;
  const ours = Object.entries(settings.tools).filter(([name]) => !isServerTool(name));
  const choice = chooseTools(TOOLS, new Map(ours), {
    allowsDangerous,
    onlyByName: closesPaths(read),
    hasSkills: true,
    limitsCommands: settings.commands?.allow !== undefined,
  });
  if ('names' in choice) return choice.names;
  throw new TellPerson(`${source} ${choice.fault}`);
}

/** The MCP servers of a run, and which of their tools it may have. */
export interface ServersPlan {
  readonly servers: readonly ServerSettings[];
  readonly isWanted: (tool: NamedTool, isSafe: boolean) => boolean;
}

interface Rules {
  readonly allowsDangerous: boolean;
  /** Dangerous tools only if the settings name them. */
  readonly onlyByName: boolean;
}

/** Whether some files are closed to the agent. */
export const closesPaths = ({ settings: { paths } }: FollowedSettings): boolean =>
  (paths?.deny ?? []).length > 0;

/**
 * The servers that the operator offers and the repository does not leave out.
 * @throws {TellPerson} for a server that is not offered
 */
export function planServers(
  { settings: { mcp, tools }, source }: FollowedSettings,
  offered: readonly ServerSettings[],
  { allowsDangerous, onlyByName }: Rules,
): ServersPlan {
  const names = offered.map(({ name }) => name);
  const toolsOfServers = Object.keys(tools).filter(isServerTool);
  const asked = [...(mcp ?? []), ...toolsOfServers.map(serverIn)];
  const unknown = asked.find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TellPerson(
      `${source} names the MCP server \`${unknown}\`, which the operator does not offer. ${offer(names)}`,
    );
  return {
    servers: offered.filter(({ name }) => mcp === undefined || mcp.includes(name)),
    isWanted: ({ name }, isSafe) =>
      (isSafe || allowsDangerous) &&
      (Object.hasOwn(tools, name) ? tools[name] === true : isSafe || !onlyByName),
  };
}

/** The names of servers contain no `__`. */
function serverIn(tool: string): string {
  const [, server = ''] = tool.split('__');
  return server;
}

const offer = (names: readonly string[]): string =>
  names.length === 0
    ? 'Remove it from the settings: the operator offers none.'
    : `Choose from these, or remove it: ${names.map((name) => `\`${name}\``).join(', ')}.`;

interface Workflows {
  /** The agent may change them in its workspace. */
  readonly mayChange: boolean;
  /** Why not, although the settings say so. Markdown. */
  readonly warnings: readonly string[];
}

export const NO_WORKFLOWS: Workflows = { mayChange: false, warnings: [] };

export async function workflowsOf(
  { lacking }: PlanScope['github'],
  { workflows }: RepositorySettings,
): Promise<Workflows> {
  if (workflows === 'never') return NO_WORKFLOWS;
  const words = await lacking(WORKFLOW_PERMISSION);
  if (words === undefined) return { mayChange: true, warnings: [] };
  return { mayChange: false, warnings: [`\`workflows: ask\`: ${words}`] };
}

import type { ServerTool } from '../../../contracts/mcp.ts';
import { isServerTool } from '../../../lib/server-tool-name.ts';
import { TellPerson } from '../../../lib/errors.ts';
import type { ServerSettings } from '../../../mcp/settings.ts';
import type { FollowedSettings } from '../../admission/settings.ts';
import { WORKFLOW_PERMISSION } from '../../../github/access/permissions.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { PlanScope } from '../../service/service.ts';

/** The MCP servers of a run, and which of their tools it may have. */
export interface ServersPlan {
  readonly servers: readonly ServerSettings[];
  readonly isWanted: (tool: Pick<ServerTool, 'name'>, isSafe: boolean) => boolean;
}

interface Rules {
  readonly allowsDangerous: boolean;
  /** Dangerous tools only if the settings name them. */
  readonly onlyByName: boolean;
}

/** Whether some files are closed to the agent. */
export const closesPaths = ({ settings: { paths } }: Pick<FollowedSettings, 'settings'>): boolean =>
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
  { lacking }: Pick<PlanScope['github'], 'lacking'>,
  { workflows }: Pick<RepositorySettings, 'workflows'>,
): Promise<Workflows> {
  if (workflows === 'never') return NO_WORKFLOWS;
  const words = await lacking(WORKFLOW_PERMISSION);
  if (words === undefined) return { mayChange: true, warnings: [] };
  return { mayChange: false, warnings: [`\`workflows: ask\`: ${words}`] };
}

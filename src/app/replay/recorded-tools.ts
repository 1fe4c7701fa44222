// The tools of a run as its journal names them, without what they reach.
import type { ServerTool } from '../../contracts/mcp.ts';
import type { Tool } from '../../contracts/tool.ts';
import { ANSWER_TOOL } from '../../lib/server-tool-name.ts';
import { TITLE_OF_ANSWER } from '../../mcp/answer-question.ts';
import { jsonArguments } from '../../mcp/safe-schema.ts';
import { titleOfCall } from '../../mcp/server-tool.ts';
import type { EntryOf } from '../../session/entry.ts';
import { withRun } from '../../tools/define-tool.ts';
import { TOOLS } from '../../tools/index.ts';

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

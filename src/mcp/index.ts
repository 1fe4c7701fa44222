// The tools of MCP servers, for one run.
import type { Logger } from 'pino';
import type { AnswerDeadline } from '../contracts/effect.ts';
import type { ServerTool } from '../contracts/mcp.ts';
import type { StartProgram } from '../contracts/shell.ts';
import type { NamedTool, Tool } from '../contracts/tool.ts';
import { messageOf } from '../lib/errors.ts';
import { chooseServerTools, type ListedTool } from './choose-server-tools.ts';
import { answerServerQuestion, type BoundServerTool, type PendingQuestion } from './questions.ts';
import { plainLine, type Redact } from './made-safe.ts';
import { ServerConnection, type StartServer } from './connection.ts';
import { bindServerTool } from './server-tool.ts';
import type { ServerSettings } from './settings.ts';

export interface RunServersOptions {
  readonly servers: readonly ServerSettings[];
  /** What starts local servers; without it there are none. */
  readonly startProgram: StartProgram | undefined;
  /** Whether local servers can read the files of the workspace. */
  readonly seesWorkspace: boolean;
  readonly isWanted: (tool: NamedTool, isSafe: boolean) => boolean;
  /** The tools that the run has had since it began; `undefined` for a new run, which asks the servers. */
  readonly known: readonly ServerTool[] | undefined;
  /** The question that people were asked last. */
  readonly pending: () => PendingQuestion | undefined;
  readonly answerWait: (askedAt: Date) => AnswerDeadline | undefined;
  readonly redact: Redact;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface RunServers {
  readonly tools: readonly Tool[];
  /** For the journal: a run keeps its tools. */
  readonly described: readonly ServerTool[];
  /** The servers that could not be reached when the run began. */
  readonly unavailable: readonly string[];
  /** What cannot be used, and why, for people. Markdown. */
  readonly warnings: readonly string[];
  /** Ends local servers. */
  readonly close: () => Promise<void>;
}

const NO_COMMANDS =
  'local servers run as commands do, and commands are not allowed here, or cannot be contained';

/** Connects to the servers of a run. One that fails is left out, and said to be. */
export async function openRunServers(options: RunServersOptions): Promise<RunServers> {
  const connections = new Map(
    options.servers.map((settings) => [settings.name, connectionTo(settings, options)]),
  );
  const close = async (): Promise<void> => {
    await Promise.all([...connections.values()].map((one) => one.close()));
  };
  try {
    const listed = await describedBy(connections, options);
    const bound = listed.described.flatMap((tool) => bindTo(tool, connections, options));
    return { ...listed, tools: withAnswers(bound, options), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Connections = ReadonlyMap<string, ServerConnection>;

function connectionTo(settings: ServerSettings, options: RunServersOptions): ServerConnection {
  const { startProgram, seesWorkspace, log, redact } = options;
  const start: StartServer = (server, onOutput) => {
    if (startProgram === undefined) return Promise.reject(new Error(NO_COMMANDS));
    const { name, command, args, environment, egress } = server;
    const pipes = { onOutput, onErrorOutput: serverLog(name, log, redact) };
    return startProgram({ name, command, args, environment, egress, seesWorkspace, ...pipes });
  };
  return new ServerConnection(settings, start, redact);
}

type ServerDescriptions = Pick<RunServers, 'described' | 'unavailable' | 'warnings'>;

async function describedBy(
  connections: Connections,
  options: RunServersOptions,
): Promise<ServerDescriptions> {
  const { known, signal, isWanted, log, redact } = options;
  if (known !== undefined) return { described: known, unavailable: [], warnings: [] };
  const lists = await Promise.allSettled(
    [...connections.values()].map((connection) => connection.list(signal)),
  );
  signal.throwIfAborted();
  const listed = new Map<string, readonly ListedTool[]>();
  const unavailable: string[] = [];
  const warnings: string[] = [];
  for (const [index, [server]] of [...connections].entries()) {
    const list = lists[index];
    if (list?.status === 'fulfilled') listed.set(server, list.value);
    else {
      const why = messageOf(list?.reason);
      log.warn({ server, reason: why }, 'an MCP server is not available');
      unavailable.push(server);
      warnings.push(
        `The MCP server \`${server}\` is not available, so this run works without its tools: \`${plain(why)}\``,
      );
    }
  }
  const safe = (tool: ServerTool): boolean => isSafe(tool, connections);
  const wanted = (tool: ServerTool): boolean => isWanted(tool, safe(tool));
  const rules = { isWanted: wanted, isSafe: safe, redact };
  const { tools, leftOut } = chooseServerTools(listed, rules);
  for (const { server, tool, why } of leftOut)
    warnings.push(
      `The tool \`${plain(tool)}\` of the MCP server \`${server}\` is left out: ${why}.`,
    );
  return { described: tools, unavailable, warnings: warnings.slice(0, MAX_WARNINGS) };
}

const MAX_WARNINGS = 20;

/** What a server says ends no code in Markdown. */
const plain = (text: string): string => text.replaceAll('`', "'");

const isSafe = ({ server, tool }: ServerTool, connections: Connections): boolean =>
  connections.get(server)?.settings.safe.includes(tool) === true;

/** Not if its server is no longer offered, or the tool is no longer wanted. */
function bindTo(
  tool: ServerTool,
  connections: Connections,
  { isWanted, answerWait, redact }: RunServersOptions,
): readonly BoundServerTool[] {
  const connection = connections.get(tool.server);
  const safe = isSafe(tool, connections);
  if (connection === undefined || !isWanted(tool, safe)) return [];
  return [bindServerTool(tool, { connection, isSafe: safe, answerWait, redact })];
}

const withAnswers = (
  bound: readonly BoundServerTool[],
  { pending }: RunServersOptions,
): readonly Tool[] =>
  bound.length === 0
    ? []
    : [...bound, answerServerQuestion(new Map(bound.map((tool) => [tool.name, tool])), pending)];

const MAX_LINE = 500;
/** Of a line that has not ended yet. */
const MAX_REST = 4_000;
const MAX_LINES = 50;

/** What a server writes to its error output, in the log: the first lines, each bounded. */
function serverLog(server: string, log: Logger, redact: Redact): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder();
  let rest = '';
  let logged = 0;
  return (chunk) => {
    if (logged > MAX_LINES) return;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_REST);
    for (const line of lines) {
      const text = plainLine(line, MAX_LINE, redact);
      if (text === '' || logged > MAX_LINES) continue;
      logged += 1;
      if (logged > MAX_LINES) log.info({ server }, 'more output of an MCP server is not logged');
      else log.info({ server, text }, 'an MCP server wrote');
    }
  };
}

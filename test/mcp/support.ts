import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { openRunServers, type RunServers, type RunServersOptions } from '../../src/mcp/index.ts';
import type { LocalServer } from '../../src/mcp/settings.ts';
import type { CallContext, ToolResult } from '../../src/contracts/tool.ts';
import { prepare, toolbox } from '../../src/agent/dispatch.ts';
import { TellModel } from '../../src/lib/errors.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { startUnsafeProgram } from '../../packages/sandbox/src/index.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A local server that Node runs. */
export const nodeServer = (name: string, ...args: string[]): LocalServer => ({
  kind: 'local',
  name,
  safe: [],
  startMs: 60_000,
  timeoutMs: 60_000,
  command: process.execPath,
  args,
  environment: {},
  egress: [],
});

export interface Opened extends RunServers {
  /** Calls a tool as the agent does. What the model is told of a failed call is its output. */
  readonly call: (
    tool: string,
    args?: unknown,
    context?: Partial<CallContext>,
  ) => Promise<ToolResult>;
  readonly logged: () => string;
  /** Resolves once the log has it. */
  readonly untilLogged: (text: string) => Promise<void>;
}

/** The servers of one run, without a sandbox around them. */
export async function openServers(
  options: Partial<RunServersOptions>,
  secrets: readonly string[] = [],
): Promise<Opened> {
  const directory = join(temporaryDirectory(), 'tree');
  mkdirSync(directory);
  let logged = '';
  const write = (line: string): void => {
    logged += line;
  };
  const { signal } = new AbortController();
  const opened = await openRunServers({
    servers: [],
    startProgram: (request) => startUnsafeProgram({ directory }, request),
    seesWorkspace: true,
    isWanted: () => true,
    known: undefined,
    pending: () => undefined,
    answerWait: () => undefined,
    redact: createRedactor(secrets).redact,
    log: pino({}, { write }),
    signal,
    ...options,
  });
  const tools = toolbox(opened.tools, { conclude: finishingCall });
  return {
    ...opened,
    logged: () => logged,
    untilLogged: async (text) => {
      while (!logged.includes(text)) await new Promise((resolve) => setImmediate(resolve));
    },
    call: async (tool, args = {}, context = {}) => {
      const prepared = prepare(tools, { tool, arguments: args });
      if ('fault' in prepared) return { output: prepared.fault, ok: false };
      try {
        return await prepared.run({ startedAt: new Date(), signal, ...context });
      } catch (error) {
        if (error instanceof TellModel) return { output: error.message, ok: false };
        throw error;
      }
    },
  };
}

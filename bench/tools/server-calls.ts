import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { pino } from 'pino';
import { prepare, toolbox } from '../../src/agent/dispatch.ts';
import { openRunServers } from '../../src/mcp/index.ts';
import { startUnsafeProgram } from '../../packages/sandbox/src/index.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import { measure, type Measured } from './measure.ts';

const CALLS = 200;
const MOST_OVER_CLIENT_MS = 2;
const PROGRAM = path.resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const ARGUMENTS = { message: 'one line of text' };

/** What a call of an MCP tool costs more than one of the bare client, with the same server. Markdown. */
export async function benchServerCalls(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const [ours, bare] = await Promise.all([openOurs(directory), openBare()]);
  try {
    const times = (call: () => unknown) => Array.from({ length: CALLS }, () => call);
    return report(await measure(times(ours.call), times(bare.call)));
  } finally {
    await Promise.all([ours.close(), bare.close()]);
    await rm(directory, { recursive: true, force: true });
  }
}

function report({ took, peer = Number.NaN }: Measured): string {
  const over = (took - peer) / CALLS;
  const each = (ms: number): string => `${(ms / CALLS).toFixed(2)} ms`;
  const isMet = over <= MOST_OVER_CLIENT_MS;
  return `A call of an MCP tool: ${each(took)}, of the bare client ${each(peer)}
  ${isMet ? 'met    ' : 'NOT met'}  more than the bare client: ${over.toFixed(2)} ms (≤ ${MOST_OVER_CLIENT_MS} ms)`;
}

async function openOurs(directory: string) {
  const tree = path.join(directory, 'tree');
  await mkdir(tree);
  const { signal } = new AbortController();
  const command = { command: process.execPath, args: [PROGRAM], environment: {}, egress: [] };
  const servers = await openRunServers({
    servers: [
      { kind: 'local', name: 'every', safe: [], startMs: 30_000, timeoutMs: 10_000, ...command },
    ],
    startProgram: (request) => startUnsafeProgram({ directory: tree }, request),
    seesWorkspace: true,
    isWanted: () => true,
    known: undefined,
    pending: () => undefined,
    answerWait: () => undefined,
    redact: (text) => text,
    log: pino({ level: 'silent' }),
    signal,
  });
  const tools = toolbox(servers.tools, { conclude: finishingCall });
  const call = async (): Promise<void> => {
    const prepared = prepare(tools, { tool: 'mcp__every__echo', arguments: ARGUMENTS });
    if ('fault' in prepared) throw new Error(prepared.fault);
    await prepared.run({ startedAt: new Date(), signal, progress: () => {} });
  };
  return { call, close: servers.close };
}

async function openBare() {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [PROGRAM], stderr: 'ignore' }),
  );
  return {
    call: () => client.callTool({ name: 'echo', arguments: ARGUMENTS }),
    close: () => client.close(),
  };
}

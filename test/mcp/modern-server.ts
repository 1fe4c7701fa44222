// An MCP server of revision 2026-07-28, and of those before it, over its pipes or over HTTP.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  acceptedContent,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const answer = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
export const STATE = 'state-that-nobody-may-see-4711';

/** The header that one argument is repeated in. */
let header = 'Region';

const repeatedIn = (name: string): { type: 'string' } =>
  Object.assign({ type: 'string' as const }, { 'x-mcp-header': name });

function makeServer(): McpServer {
  const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { tools: {} } });
  server.registerTool(
    'add',
    {
      description: 'Adds two numbers.',
      inputSchema: z.object({ one: z.number(), other: z.number() }),
      outputSchema: z.object({ sum: z.number() }),
    },
    ({ one, other }) => ({
      ...answer(String(one + other)),
      structuredContent: { sum: one + other },
    }),
  );
  server.registerTool(
    'deploy',
    { description: 'Deploys.', inputSchema: z.object({ to: z.string() }) },
    ({ to }, { mcpReq }) => {
      const schema = z.object({
        confirm: z.boolean().describe('Really?'),
        note: z.string().optional(),
      });
      const responses = mcpReq.inputResponses;
      const said = acceptedContent(responses, 'confirm', schema);
      if (responses?.['confirm'] !== undefined && said === undefined) return answer('not deployed');
      if (said !== undefined)
        return answer(
          `deployed to ${to}: ${JSON.stringify(said)}, ${String(mcpReq.requestState())}`,
        );
      return inputRequired({
        requestState: STATE,
        inputRequests: {
          confirm: inputRequired.elicit({ message: `Deploy to ${to}?`, requestedSchema: schema }),
        },
      });
    },
  );
  server.registerTool(
    'move',
    {
      description: 'Moves.',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { to: repeatedIn(header), note: { type: 'string' } },
        required: ['to'],
      }),
    },
    () => answer('moved'),
  );
  server.registerTool('environment', { description: 'Its environment.' }, () =>
    answer(JSON.stringify(process.env)),
  );
  return server;
}

/** Over HTTP, in this process. */
export async function startModernServer() {
  const handler = createMcpHandler(makeServer);
  const headers: string[] = [];
  /** Of calls: the headers for arguments. */
  const params: Record<string, string>[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      headers.push(String(request.headers.authorization));
      const named = Object.entries(request.headers).filter(([name]) =>
        name.startsWith('mcp-param-'),
      );
      if (request.headers['mcp-method'] === 'tools/call')
        params.push(Object.fromEntries(named.map(([name, value]) => [name, String(value)])));
      const body = await text(request);
      const { method = 'GET', url = '/' } = request;
      const given = new Headers(
        Object.entries(request.headers).map(([name, value]): [string, string] => [
          name,
          String(value),
        ]),
      );
      const answered = await handler.fetch(
        new Request(new URL(url, 'http://127.0.0.1'), {
          method,
          headers: given,
          ...(body === '' ? {} : { body }),
        }),
      );
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      response.end(await answered.text());
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    headers,
    params,
    rename: (name: string) => void (header = name),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

if (process.argv[2] === 'serve') serveStdio(makeServer);

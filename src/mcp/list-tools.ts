import type { Client, Tool } from '@modelcontextprotocol/client';

const MAX_PAGES = 20;
const MAX_TOOLS = 200;

/** The tools of a server: all pages, within limits. */
export async function listTools(client: Client, signal: AbortSignal): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, { signal });
    tools.push(...listed.tools.slice(0, MAX_TOOLS - tools.length));
    const { nextCursor } = listed;
    if (nextCursor === undefined || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return tools;
}

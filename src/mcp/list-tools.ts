import type { Client } from '@modelcontextprotocol/client';
import { z } from 'zod';

const MAX_PAGES = 20;
const MAX_TOOLS = 200;

/** Only the form of the list: one tool that is malformed does not cost the others. */
const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

const NO_NAME = '(no name)';
const Execution = z.object({ taskSupport: z.string() });
const Listed = z.object({
  name: z.string().catch(NO_NAME),
  description: z.string().catch(''),
  inputSchema: z.unknown().optional(),
  execution: Execution.optional().catch(undefined),
});

/** A tool as a server describes it. Whether that can be used is not known yet. */
export type ListedTool = z.infer<typeof Listed> & {
  /** Why it must not be used; the words follow "its arguments". */
  readonly fault?: string | undefined;
};

const MALFORMED: ListedTool = { name: NO_NAME, description: '' };

/** The tools of a server: all pages, within limits. */
export async function listTools(
  client: Client,
  signal: AbortSignal,
): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES && tools.length < MAX_TOOLS; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const listed = await client.request({ method: 'tools/list', params }, Page, { signal });
    const given = listed.tools.slice(0, MAX_TOOLS - tools.length);
    tools.push(...given.map((tool) => Listed.catch(MALFORMED).parse(tool)));
    const { nextCursor } = listed;
    if (nextCursor === undefined || nextCursor === cursor) break;
    cursor = nextCursor;
  }
  return tools;
}

/** Names of tools as every provider takes them. */
const MAX_NAME = 64;
const TOOL = /^[\w.-]{1,128}$/;

/**
 * The name of a server's tool for models; `undefined` if it has characters that are not allowed, or too
 * many. Server names contain no `__`, so it is clear where the tool's own name begins.
 */
export function toolName(server: string, tool: string): string | undefined {
  if (!TOOL.test(tool)) return undefined;
  const name = `mcp__${server}__${tool.replaceAll('.', '_')}`;
  return name.length > MAX_NAME ? undefined : name;
}

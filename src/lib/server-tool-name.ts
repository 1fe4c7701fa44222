/** Whether it is the name of a tool of an MCP server: `mcp__SERVER__TOOL`. */
export const isServerTool = (name: string): boolean => name.startsWith('mcp__');

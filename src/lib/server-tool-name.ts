/** Whether it is the name of a tool of an MCP server: `mcp__SERVER__TOOL`. */
export const isServerTool = (name: string): boolean => name.startsWith('mcp__');

/** Passes people's answer on to the server that asked. */
export const ANSWER_TOOL = 'answer_mcp_question';

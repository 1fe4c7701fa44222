// MCP servers as runs know them.

/** A tool of a server as it was when the run began. */
export interface ServerTool {
  readonly server: string;
  /** As the server knows it. */
  readonly tool: string;
  /** As models know it: `mcp__SERVER__TOOL`. */
  readonly name: string;
  readonly description: string;
  /** A JSON schema, made of known parts only. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What a server asked while it worked on a call, and a JSON schema of the answer. */
export interface ServerQuestion {
  readonly message: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** `content`: `null` if people do not want to answer. */
export interface ServerAnswer extends ServerQuestion {
  readonly content: Readonly<Record<string, unknown>> | null;
}

/** A call that a server answered with a question. */
export interface AskedCall {
  /** `mcp__SERVER__TOOL` */
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly question: ServerQuestion;
  /** To the questions that it had before. */
  readonly answered: readonly ServerAnswer[];
}

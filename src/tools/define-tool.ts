import type { z } from 'zod';
import type { CallContext, Tool, ToolDescription, ToolResult } from '../contracts/tool.ts';
import type { Ports } from './ports.ts';
import { zodArguments } from './zod-arguments.ts';

/** The ports that a tool uses, such as `Needs<'files' | 'work'>`. */
export type Needs<Port extends keyof Ports> = Pick<Ports, Port>;

/** A tool that gets its ports with each call. Its description has at most 160 characters. */
export interface ToolDefinition<
  Schema extends z.ZodObject = z.ZodObject,
  Needed = Ports,
> extends ToolDescription<z.infer<Schema>, keyof z.input<Schema> & string> {
  readonly arguments: Schema;
  /** What its description says besides, of what a run works with. */
  readonly adds?: (ports: Needed) => string;
  /** Arguments that a model could give: for the documents, and for the checks of the registry. */
  readonly example: z.input<Schema>;
  run(args: z.infer<Schema>, ports: Needed, context: CallContext): Promise<ToolResult>;
}

/** Infers a tool's types from its schema and from the ports that its `run` takes. */
export const defineTool = <Schema extends z.ZodObject, Needed>(
  tool: ToolDefinition<Schema, Needed>,
): ToolDefinition<Schema, Needed> => tool;

/** Binds a tool to the ports of a run. */
export function bind({ example: _example, adds, ...tool }: ToolDefinition, ports: Ports): Tool {
  return {
    ...tool,
    get description() {
      return adds === undefined ? tool.description : `${tool.description} ${adds(ports)}`;
    },
    arguments: zodArguments(tool.arguments),
    run: (args, context) => tool.run(args, ports, context),
  };
}

import type { z } from 'zod';
import type { CallContext, Tool, ToolDescription, ToolResult } from '../contracts/tool.ts';
import type { Ports } from './ports.ts';

/** The ports that a tool uses, such as `Needs<'files' | 'work'>`. */
export type Needs<Port extends keyof Ports> = Pick<Ports, Port>;

/** A tool that gets its ports with each call. */
export interface ToolDefinition<
  Arguments extends z.ZodObject = z.ZodObject,
  Needed = Ports,
> extends ToolDescription<Arguments> {
  run(args: z.infer<Arguments>, ports: Needed, context: CallContext): Promise<ToolResult>;
}

/** Infers a tool's types from its schema and from the ports that its `run` takes. */
export const defineTool = <Arguments extends z.ZodObject, Needed>(
  tool: ToolDefinition<Arguments, Needed>,
): ToolDefinition<Arguments, Needed> => tool;

/** Binds a tool to the ports of a run. */
export const bind = (tool: ToolDefinition, ports: Ports): Tool => ({
  ...tool,
  run: (args, context) => tool.run(args, ports, context),
});

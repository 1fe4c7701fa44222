import type { ToolSpec } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';

/** A tool as it is described to models. */
export const toolSpec = (tool: Pick<Tool, 'name' | 'description' | 'arguments'>): ToolSpec => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.arguments.parameters,
});

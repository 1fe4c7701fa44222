import { z } from 'zod';
import type { Call } from './entries.ts';
import type { CallContext, Tool, ToolResult } from './tool.ts';

/** A call whose tool and arguments are known to be good, ready to run. */
export interface PreparedCall<Effect> {
  readonly title: string;
  run(context: CallContext): Promise<ToolResult<Effect>>;
}

export type Toolbox<Effect> = ReadonlyMap<string, Tool<Effect>>;

/** Tools by name and alias. A `Map`, because the names come from a model: `constructor` is none. */
export function toolbox<Effect>(tools: readonly Tool<Effect>[]): Toolbox<Effect> {
  return new Map(tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool])));
}

function renamed(args: unknown, aliases: Readonly<Record<string, string>> = {}): unknown {
  if (typeof args !== 'object' || args === null) return args;
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      Object.hasOwn(aliases, key) ? aliases[key] : key,
      value,
    ]),
  );
}

/** Looks a call's tool up and validates its arguments; a `fault` says to the model what is wrong. */
export function prepare<Effect>(
  tools: Toolbox<Effect>,
  call: Call,
): PreparedCall<Effect> | { readonly fault: string } {
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = [...new Set([...tools.values()].map(({ name }) => name))].join(', ');
    return { fault: `there is no tool "${call.tool.slice(0, 80)}". The tools are: ${names}` };
  }
  const parsed = tool.arguments.safeParse(renamed(call.arguments, tool.argumentAliases));
  if (!parsed.success) {
    const wrong = z.prettifyError(parsed.error);
    return { fault: `the arguments of ${tool.name} are not valid: ${wrong}` };
  }
  const args = parsed.data;
  return { title: tool.title(args), run: (context) => tool.run(args, context) };
}

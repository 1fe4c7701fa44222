import type { Tool, ToolRendering } from '../contracts/tool.ts';

type Shown = Pick<Tool, 'name' | 'aliases' | 'argumentAliases' | 'rendering'>;

/** How calls are shown, by each name that a tool goes by, with each name that its arguments go by. */
export function renderingsOf(tools: readonly Shown[]): ReadonlyMap<string, ToolRendering> {
  return new Map(
    tools.flatMap((tool) => {
      const rendering = withAliases(tool);
      return [tool.name, ...tool.aliases].map((name) => [name, rendering] as const);
    }),
  );
}

function withAliases({ argumentAliases = {}, rendering }: Shown): ToolRendering {
  const aliased = Object.entries(argumentAliases).flatMap(([alias, name]) => {
    const how = rendering.arguments[name];
    return how === undefined ? [] : [[alias, how] as const];
  });
  return {
    ...rendering,
    arguments: { ...rendering.arguments, ...Object.fromEntries(aliased) },
  };
}

import { z } from 'zod';
import { cutCharacters } from '../lib/text.ts';
import type { Call } from '../contracts/model.ts';
import type { CallContext, Tool, ToolResult } from '../contracts/tool.ts';

/** Characters: a call may be wrong in ten thousand places. */
const MAX_FAULT = 2_000;

/** A call whose tool and arguments are known to be good, ready to run. */
export interface PreparedCall {
  readonly title: string;
  readonly reach: Tool['reach'];
  run(context: CallContext): Promise<ToolResult>;
}

export interface Toolbox {
  readonly list: readonly Tool[];
  /** Why calls that change anything are refused now, to follow the tool's name; `undefined`: they are not. */
  readonly held: () => string | undefined;
  /** By name and alias. A `Map`, because the names come from a model: `constructor` is none. */
  readonly named: ReadonlyMap<string, Tool>;
}

export const toolbox = (
  list: readonly Tool[],
  held: Toolbox['held'] = () => undefined,
): Toolbox => ({
  list,
  held,
  named: new Map(list.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool]))),
});

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
export function prepare(
  { list, named, held }: Toolbox,
  call: Call,
): PreparedCall | { readonly fault: string } {
  const tool = named.get(call.tool);
  if (tool === undefined) {
    const names = list.map(({ name }) => name).join(', ');
    return { fault: `there is no tool "${call.tool.slice(0, 80)}". The tools are: ${names}` };
  }
  if (call.fault !== undefined) return { fault: call.fault };
  const parsed = tool.arguments.safeParse(renamed(call.arguments, tool.argumentAliases));
  if (!parsed.success) {
    const wrong = cutCharacters(z.prettifyError(parsed.error), MAX_FAULT);
    return { fault: `the arguments of ${tool.name} are not valid: ${wrong}` };
  }
  const args = parsed.data;
  const reason = held();
  if (reason !== undefined && tool.changesNothing?.(args) !== true)
    return { fault: `${tool.name} ${reason}` };
  return {
    title: tool.title(args),
    reach: tool.reach,
    run: (context) => tool.run(args, context),
  };
}

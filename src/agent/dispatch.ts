import { z } from 'zod';
import { cutCharacters } from '../lib/text.ts';
import type { Call } from '../contracts/model.ts';
import { invalidArguments, notBeforeApproval, unknownTool } from './prompts/results.ts';
import type { CallContext, Tool, ToolResult } from '../contracts/tool.ts';

/** Characters: a call may be wrong in ten thousand places. */
const MAX_FAULT = 2_000;
const MAX_NAME = 80;

/** A call whose tool and arguments are known to be good, ready to run. */
export interface PreparedCall {
  readonly title: string;
  readonly reach: Tool['reach'];
  readonly changesNothing: boolean;
  run(context: CallContext): Promise<ToolResult>;
}

/** `fault`: what is wrong with the call, for the model. */
export type Prepared = PreparedCall | { readonly fault: string };

/** The tools of a run. */
export interface Toolbox {
  readonly list: readonly Tool[];
  /** By name and alias. A `Map`, because names come from a model, which may write `constructor`. */
  readonly named: ReadonlyMap<string, Tool>;
  /** The call that ends the work for a model that ended it with a text. */
  readonly conclude: (answer: string) => Call;
  /** Whether calls that change anything wait for people who agree to the plan. */
  readonly waitsForApproval: () => boolean;
}

interface ToolboxOptions extends Pick<Toolbox, 'conclude'> {
  readonly waitsForApproval?: Toolbox['waitsForApproval'];
}

export const toolbox = (
  list: readonly Tool[],
  { conclude, waitsForApproval = () => false }: ToolboxOptions,
): Toolbox => ({
  list,
  named: new Map(list.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool]))),
  conclude,
  waitsForApproval,
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

/** Looks up a call's tool and validates its arguments. */
export function prepare({ list, named, waitsForApproval }: Toolbox, call: Call): Prepared {
  const tool = named.get(call.tool);
  if (tool === undefined) {
    const names = list.map(({ name }) => name);
    return { fault: unknownTool(call.tool.slice(0, MAX_NAME), names) };
  }
  if (call.fault !== undefined) return { fault: call.fault };
  const parsed = tool.arguments.safeParse(renamed(call.arguments, tool.argumentAliases));
  if (!parsed.success) {
    const wrong = cutCharacters(z.prettifyError(parsed.error), MAX_FAULT);
    return { fault: invalidArguments(tool.name, wrong) };
  }
  const args = parsed.data;
  const changesNothing = tool.changesNothing?.(args) === true;
  const isAllowed = changesNothing || tool.isAllowedBeforeApproval?.(args) === true;
  if (waitsForApproval() && !isAllowed) return { fault: notBeforeApproval(tool.name) };
  return {
    title: tool.title(args),
    reach: tool.reach,
    changesNothing,
    run: (context) => tool.run(args, context),
  };
}

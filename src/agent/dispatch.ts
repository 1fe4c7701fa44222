import type { Call } from '../contracts/model.ts';
import {
  givenTwice,
  invalidArguments,
  notBeforeApproval,
  unknownArgument,
  unknownTool,
} from './prompts/replies.ts';
import type { CallContext, Tool, ToolResult, WaitsFor } from '../contracts/tool.ts';

const MAX_NAME = 80;

/** A call whose tool and arguments are known to be good, ready to run. */
export interface PreparedCall {
  readonly title: string;
  readonly reach: Tool['reach'];
  /** The files that it edits; `undefined` if it is no edit. */
  readonly edits: readonly string[] | undefined;
  readonly waitsFor: WaitsFor | undefined;
  readonly keepsArguments: boolean;
  readonly endsWork: boolean;
  readonly isForPeople: boolean;
  run(context: CallContext): Promise<ToolResult>;
}

/** `fault`: what is wrong with the call, for the model. */
export type PreparationResult = PreparedCall | { readonly fault: string };

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

/**
 * The arguments under the names of the schema. An unknown one may have been meant to narrow what the call
 * does, so it is a fault.
 */
function named(tool: Tool, args: unknown): { readonly args: unknown } | { readonly fault: string } {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return { args };
  const known = tool.arguments.names;
  const { argumentAliases: aliases = {} } = tool;
  const found = new Map<string, unknown>();
  for (const [key, value] of Object.entries(args)) {
    const alias = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
    const name = alias ?? key;
    if (known?.includes(name) === false)
      return { fault: unknownArgument(tool.name, shortened(key), known) };
    if (found.has(name)) return { fault: givenTwice(tool.name, name) };
    found.set(name, value);
  }
  return { args: Object.fromEntries(found) };
}

const shortened = (name: string): string => name.slice(0, MAX_NAME).toWellFormed();

/** What earlier calls gave, and then what this one gives; nothing that is empty replaces anything. */
function withEarlier(tool: Tool, given: unknown, earlier: readonly unknown[]): unknown {
  if (tool.keepsArguments !== true || earlier.length === 0 || Array.isArray(given)) return given;
  const before = earlier.flatMap((args) => {
    const known = named(tool, args);
    return 'args' in known ? Object.entries(known.args ?? {}) : [];
  });
  const own = Object.entries(given ?? {}).filter(([, value]) => value !== '' && value !== null);
  return Object.fromEntries([...before, ...own]);
}

/**
 * Looks up a call's tool and validates its arguments. `earlier`: those of the tool's last calls that were not carried out.
 */
export function prepare(
  { list, named: byName, waitsForApproval }: Toolbox,
  call: Call,
  earlier: readonly unknown[] = [],
): PreparationResult {
  const tool = byName.get(call.tool);
  if (tool === undefined) {
    const names = list.map(({ name }) => name);
    return { fault: unknownTool(shortened(call.tool), names) };
  }
  if (call.fault !== undefined) return { fault: call.fault };
  const given = named(tool, call.arguments);
  if ('fault' in given) return given;
  const checked = tool.arguments.check(withEarlier(tool, given.args, earlier));
  if ('wrong' in checked) return { fault: invalidArguments(tool.name, checked.wrong) };
  const { args } = checked;
  const changesNothing = tool.changesNothing?.(args) === true;
  const isAllowed = changesNothing || tool.isAllowedBeforeApproval?.(args) === true;
  if (waitsForApproval() && !isAllowed) return { fault: notBeforeApproval(tool.name) };
  return {
    title: tool.title(args),
    reach: tool.reach,
    edits: tool.edits?.(args),
    waitsFor: tool.waitsFor,
    keepsArguments: tool.keepsArguments === true,
    endsWork: tool.endsWork === true,
    isForPeople: tool.isForPeople === true,
    run: (context) => tool.run(args, context),
  };
}

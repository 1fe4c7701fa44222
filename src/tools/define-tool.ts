import { z } from 'zod';
import type {
  CallContext,
  Tool,
  ToolArguments,
  ToolDescription,
  ToolRendering,
  ToolResult,
} from '../contracts/tool.ts';
import type { Ports } from './ports.ts';
import { cutCharacters } from '../lib/text/text.ts';

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

/** A tool that does something else when it is called. */
export const withRun = (
  { example: _example, adds: _adds, ...tool }: ToolDefinition,
  run: Tool['run'],
): Tool => ({ ...tool, arguments: zodArguments(tool.arguments), run });

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

/** Characters: a call may be wrong in ten thousand places. */
const MAX_FAULT = 2_000;

const made = new WeakMap<z.ZodObject, ToolArguments>();

/** Arguments that a schema of zod describes and checks. */
export function zodArguments(schema: z.ZodObject): ToolArguments {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _version, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of UNSAID) delete jsonSchema[keyword];
      for (const [name, property] of Object.entries(jsonSchema.properties ?? {}))
        if (isUntold(property)) delete jsonSchema.properties?.[name];
    },
  });
  const args: ToolArguments = {
    parameters,
    names: Object.keys(schema.shape),
    check: (given) => {
      const parsed = schema.safeParse(given);
      if (parsed.success) return { args: parsed.data };
      return { wrong: cutCharacters(z.prettifyError(parsed.error), MAX_FAULT) };
    },
  };
  made.set(schema, args);
  return args;
}

const isUntold = (property: unknown): boolean =>
  typeof property === 'object' && property !== null && 'untold' in property;

/** Validation still applies them. Models rarely break one, and then they are told. */
const UNSAID = [
  'additionalProperties',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'default',
] as const;

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

// The client that the conformance scenarios of MCP test: servers as a run has them, and a model that calls every tool.
import type { PendingQuestion } from '../../src/mcp/questions.ts';
import { ANSWER_TOOL } from '../../src/lib/server-tool-name.ts';
import { openServers } from './support.ts';

type Values = Readonly<Record<string, unknown>>;

interface Context {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: Values }[];
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SAMPLES: Values = {
  string: 'x',
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
};

/** Arguments that fit a schema: of what it requires only. */
function sampleOf({ properties, required }: Values): Values {
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const all = isObject(properties) ? properties : {};
  return Object.fromEntries(
    names.map((name) => {
      const one = all[String(name)];
      const { type, enum: list } = isObject(one) ? one : {};
      return [name, Array.isArray(list) ? list[0] : SAMPLES[String(type)]];
    }),
  );
}

/** A model leaves out what it has no value for. */
const given = (args: Values): Values =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));

let pending: PendingQuestion | undefined;
const url = process.argv.at(-1) ?? '';
const server = {
  kind: 'remote',
  name: 'it',
  safe: [],
  startMs: 20_000,
  timeoutMs: 20_000,
  url,
  headers: {},
} as const;
const opened = await openServers({ servers: [server], pending: () => pending });

async function use(tool: string, args: Values): Promise<void> {
  let { output, effects = [] } = await opened.call(tool, args);
  for (;;) {
    const asked = effects.find(({ type }) => type === 'server_question');
    process.stdout.write(`${tool}: ${output}\n`);
    if (asked?.type !== 'server_question') return;
    pending = { call: asked.call, isAnswered: true };
    const answers = sampleOf(asked.call.question.parameters);
    ({ output, effects = [] } = await opened.call(ANSWER_TOOL, { answers }));
  }
}

const { toolCalls }: Context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
for (const { tool, name, parameters } of opened.described) {
  const wanted = toolCalls?.filter((one) => one.name === tool).map((one) => one.arguments);
  for (const args of wanted ?? [sampleOf(parameters)]) await use(name, given(args));
}
for (const warning of opened.warnings) process.stdout.write(`${warning}\n`);
await opened.close();

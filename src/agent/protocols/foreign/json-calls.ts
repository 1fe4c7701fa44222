import type { Call } from '../../../contracts/model.ts';
import { type JsonObject, isObject, readWholeJson } from '../relaxed-json.ts';

const LISTS = ['tool_calls', 'tool_uses', 'function_calls', 'calls'];
const WRAPPERS = ['function', 'function_call', 'functionCall', 'tool_call', 'toolCall', 'tool_use'];
const NAMES = [
  'name',
  'tool_name',
  'tool',
  'function',
  'recipient_name',
  'action',
  'function_name',
];
const ARGUMENTS = [
  'arguments',
  'parameters',
  'args',
  'input',
  'action_input',
  'tool_input',
  'tool_args',
  'tool_arguments',
  'params',
  'kwargs',
];

/**
 * The calls that a JSON value is, in any of the shapes in which models and APIs write them; a name may be
 * that of no tool. `undefined`: it is something else.
 */
export function callsIn(value: unknown, names: ReadonlySet<string>): readonly Call[] | undefined {
  if (Array.isArray(value)) return all(value.map((item) => callsIn(item, names)));
  if (!isObject(value)) return undefined;
  const list = valueOf(value, LISTS);
  if (Array.isArray(list)) return all(list.map((item) => callsIn(item, names)));
  const wrapped = valueOf(value, WRAPPERS);
  if (isObject(wrapped)) return callsIn(wrapped, names);
  return callOf(value) ?? keyedCall(value, names);
}

function callOf(value: JsonObject): readonly Call[] | undefined {
  const name = valueOf(value, NAMES);
  const given = valueOf(value, ARGUMENTS);
  const args = typeof given === 'string' ? readWholeJson(given) : given;
  if (typeof name !== 'string' || !isObject(args)) return undefined;
  return [{ tool: plainName(name), arguments: args }];
}

/** `{"write_file": {"path": "a.ts"}}` */
function keyedCall(value: JsonObject, names: ReadonlySet<string>): readonly Call[] | undefined {
  const calls = Object.entries(value).map(([key, args]) =>
    names.has(key) && isObject(args) ? [{ tool: key, arguments: args }] : undefined,
  );
  return all(calls);
}

const plainName = (name: string): string => name.replace(/^(?:functions?[.:]|default_api\.)/, '');

/** Two of the keys have no certain meaning. */
function valueOf(value: JsonObject, keys: readonly string[]): unknown {
  const [key, ...others] = keys.filter((one) => Object.hasOwn(value, one));
  return key === undefined || others.length > 0 ? undefined : value[key];
}

function all(items: readonly (readonly Call[] | undefined)[]): readonly Call[] | undefined {
  const calls = items.flatMap((item) => item ?? []);
  return items.length > 0 && !items.includes(undefined) ? calls : undefined;
}

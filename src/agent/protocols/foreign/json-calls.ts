import type { Call } from '../../../contracts/model.ts';
import { isObject, readWholeJson, type JsonObject } from '../relaxed-json.ts';
import type { Tool } from '../../../contracts/tool.ts';
import { HEAD } from './families.ts';

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

/** The tools of a run by name and alias, and patterns with their names: a name is what every call has. */
export interface Names {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly all: ReadonlySet<string>;
  /** A tool's name behind what may introduce it, from a position on. */
  readonly head: RegExp;
  /** A call at the start of a line that nothing announces but the name of its tool. */
  readonly bare: RegExp;
  /** A tool's name beside braces or brackets, as no answer has it. */
  readonly suspect: RegExp;
  /** The same as far as code that mentions a function, or a tag, looks alike. */
  readonly suspectOutsideCode: RegExp;
}

const known = new WeakMap<readonly Tool[], Names>();

export function namesOf(tools: readonly Tool[]): Names {
  const before = known.get(tools);
  if (before !== undefined) return before;
  const byName = new Map(
    tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool])),
  );
  const longestFirst = [...byName.keys()].toSorted((one, other) => other.length - one.length);
  const names = {
    tools: byName,
    all: new Set(longestFirst),
    head: new RegExp(`${HEAD}(${anyOf(longestFirst)})(?![\\w-])`, 'y'),
    ...patterns(longestFirst),
  };
  known.set(tools, names);
  return names;
}

const anyOf = (names: readonly string[]): string =>
  names.length === 0
    ? '(?!)'
    : names.map((name) => name.replaceAll(/\W/g, String.raw`\$&`)).join('|');

const raw = String.raw;

/** What models put between a tool and its arguments. A blank line is a new paragraph, and ends it. */
const BETWEEN = raw`(?:[ \t]|\n(?!\s*\n)|["'\x60*:,=>()\]]|->|<[^<>\n]{1,60}>|\[/?[A-Z_]{2,20}\]|\x60\x60\x60\w{0,12}|\b(?:with|arguments?|args|parameters?|params|input|json|code)\b){0,16}`;
const NAME_KEY = '(?:name|tool|tool_name|function|function_name|recipient_name|action|command)';

/** Words that are names of tools as well (`commit`) count only if more than a brace is beside them. */
function patterns(names: readonly string[]): Omit<Names, 'tools' | 'all' | 'head'> {
  const any = raw`(?:${anyOf(names)})(?![\w-])`;
  const distinct = raw`(?<![\w-])(?:${anyOf(names.filter((name) => name.includes('_')))})(?![\w-])`;
  const keyword = raw`\(\s*\w+\s*=(?![=>])`;
  const one = (...alternatives: string[]) => new RegExp(alternatives.join('|'), 'm');
  return {
    bare: one(
      // write_file{…   "write_file": {…   write_file[ARGS]{…   write_file and JSON on the next line
      raw`^[ \t]*(?:functions\.)?["'\x60*]{0,3}${any}(?:\[ARGS\]|["'\x60*:]{0,4}[ \t]*(?:\n(?:\x60\x60\x60\w*\n)?[ \t]*)?\{)`,
      // write_file(path=…   [write_file(path=…   write_file({…   git_status()
      raw`^[ \t]*(?:\[\s*)?${any}(?:${keyword}|\(\s*\{)`,
      raw`^[ \t]*(?:\[\s*)?${distinct}\(\)\]?[ \t]*$`,
      `>>>${any}`,
    ),
    suspect: one(
      raw`${distinct}${BETWEEN}(?:\{|\[\s*[\[{"'\]])`,
      // "name": "write_file"   {"write_file":
      raw`["']${NAME_KEY}["']\s*:\s*["'](?:functions\.)?(?:${distinct}["']|${any}["']\s*,\s*["'](?:arg|param|input|action_input|tool_))`,
      raw`[\[{]\s*["']${distinct}["']\s*[:,]|\{\s*${distinct}\s*:`,
      // <function=write_file>   <invoke name="write_file">   to=write_file   functions.write_file{
      raw`<[^<>\n]{0,60}=\s*["']?${any}`,
      raw`\bto=${any}|(?:functions|default_api)\.${any}(?::\d+)?\s*[({<]`,
      // [write_file(path=   [git_status()]   [write_file path=
      raw`\[\s*${distinct}\s*(?:${keyword}|\(\)\](?!\()|\s\w+\s*=)`,
      // [tools.write_file] and path = … on the next line
      raw`^[ \t]*\[{1,2}(?:[\w-]{1,20}\.){0,2}${distinct}\]{1,2}[ \t]*\n\s*\w+\s*=`,
      // Tool: write_file, and its arguments on the next line
      raw`^\W{0,4}(?:[Aa]ction|[Tt]ool(?:[_ ](?:name|call))?|[Nn]ame|[Ff]unction|[Cc]all)\W{1,9}${any}\W{1,9}(?:[Aa]rg|[Pp]aram|[Ii]nput|[Aa]ction[_ ][Ii]nput)`,
    ),
    suspectOutsideCode: one(
      raw`</?${distinct}[\s/>]|^[ \t]*<${any}>\s*(?:<|$)`,
      raw`${distinct}(?:${keyword}|\(\s*["'{[])`,
      // /write_file path=…   write_file --path …   write_file path: "…
      raw`^[ \t]*[/!$>@]{0,2} ?${distinct}[ \t]+(?:--\w|\w{1,40}(?:=["'\w./]|:[ \t]*["']))`,
    ),
  };
}

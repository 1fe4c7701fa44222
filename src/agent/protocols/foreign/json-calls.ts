import type { Call } from '../../../contracts/model.ts';
import { isObject, readWholeJson, type JsonObject } from '../relaxed-json.ts';
import type { Tool } from '../../../contracts/tool.ts';

/** How one way of writing calls is recognised: the way in which some models were trained. */
interface Family {
  /** Models, or servers and programs, that write calls like this. */
  readonly models: string;
  readonly sign: RegExp;
  /** The sign is a word that answers may contain: it counts at the start of a line, or before a call. */
  readonly isProse?: true;
}

/** Every way that is known, and a wider sign for their relatives. Signs need no names of tools. */
export const FAMILIES: readonly Family[] = [
  { models: 'Qwen, Hermes, GLM, Granite, EXAONE', sign: /<tool_calls?>/, isProse: true },
  { models: 'Qwen-Coder, functionary 3.1, Llama 3.1', sign: /<function=/ },
  { models: 'Qwen-Agent', sign: /✿(?:FUNCTION|ARGS)✿/ },
  { models: 'DeepSeek V3, R1', sign: /<[|｜]tool[▁_]\w+(?:▁\w+)*[|｜]>/ },
  { models: 'DeepSeek V3.2', sign: /<[|｜]DSML[|｜]/ },
  { models: 'Kimi K2', sign: /<\|tool_calls?_(?:section_|argument_)?begin\|>/ },
  { models: 'Llama 3', sign: /<\|python_(?:tag|start)\|>/ },
  { models: 'gpt-oss', sign: /(?:\b(?:assistant|commentary|analysis)+\s{1,3})?\bto=functions\./ },
  { models: 'gpt-oss', sign: /<\|(?:constrain|call)\|>/ },
  { models: 'GPT-4', sign: /\bmulti_tool_use\.parallel\b|"recipient_name"/ },
  { models: 'Mistral', sign: /\[TOOL_CALLS\]|\[ARGS\]/ },
  { models: 'Phi-4, FireFunction', sign: /\bfunctools\s*\[/ },
  { models: 'Phi-4-mini, Granite 3.0', sign: /<\|tool_calls?\|>/ },
  { models: 'Command R', sign: /<\|START_ACTION\|>/ },
  { models: 'Command R', sign: /^[ \t]*Action:\s*```/ },
  { models: 'InternLM', sign: /<\|action_start\|>|<\|plugin\|>/ },
  { models: 'Apertus', sign: /<\|tools_prefix\|>/ },
  { models: 'LFM2', sign: /<\|tool_call_start\|>/ },
  { models: 'Nemotron', sign: /<TOOLCALL>/ },
  { models: 'Gemma, Gemini', sign: /```tool_c|\bdefault_api\./ },
  { models: 'Gemma', sign: /<start_function_call>|<\|tool_call>/ },
  { models: 'MiniMax, Seed-OSS, Step, Grok', sign: /<[a-z]+:(?:tool_call|function_call|invoke)\b/ },
  { models: 'Claude, OLMo', sign: /<function_calls?>|<invoke\s+name/, isProse: true },
  { models: 'GPT-5, Codex', sign: /^\*{3} Begin Patch[ \t]*$/ },
  { models: 'LM Studio', sign: /\[(?:END_)?TOOL_REQUEST\]/ },
  { models: 'ReAct', sign: /^[ \t*]*Action(?: ?\d+)?\*{0,2}:[^\n]*\n\s*\*{0,2}Action Input/ },
  { models: 'ReAct', sign: /<tool_code>/, isProse: true },
  { models: 'any', sign: /<[|｜][^<>\n]{0,30}(?:tool|func|call|plugin)[^<>\n]{0,30}>/ },
  {
    models: 'any',
    sign: /<(?:[\w:-]{0,20}(?:tool|function)[_-]?(?:call|use|invo)\w{0,10}|call_tool|use_tool)\b[^<>\n]{0,60}>/,
    isProse: true,
  },
  { models: 'any', sign: /\[\/?(?:TOOL|FUNCTION)_?(?:CALLS?|USE|REQUEST)\]/ },
  { models: 'any', sign: /"(?:tool_calls|tool_uses|function_call|functionCall)"\s*:\s*[{[]/ },
];

const BEFORE_CALL = String.raw`(?=\s*(?:[{[<]|\x60\x60\x60))`;

/** Where the first call of a text may begin. */
export const SIGN = new RegExp(
  FAMILIES.map(({ sign, isProse }) =>
    isProse ? `^[ \\t]*(?:${sign.source})|(?:${sign.source})${BEFORE_CALL}` : `(?:${sign.source})`,
  ).join('|'),
  'im',
);

const NAMESPACE = String.raw`(?:[\w-]{1,20}:|[|｜]DSML[|｜])?`;
const TAGS =
  'tool_calls?|tool_code|tool_use|tools?|function_calls?|functions?|functioncall|toolcall|invoke|start_function_call|end_function_call|call|name|tool_name|parameters|arguments|args|input|action';

/** What stands around and between calls, and between a tool and its arguments, and has no meaning of its own. */
export const GLUE = new RegExp(
  [
    String.raw`\s+|[,;]|\x60\x60\x60\w*`,
    String.raw`<[|｜](?!DSML[|｜](?:invoke|parameter))[^<>\n]{0,60}>|<[^<>\n|｜]{0,60}[|｜]>`,
    `</?${NAMESPACE}(?:${TAGS})>|</[|｜]DSML[|｜]\\w{1,30}>`,
    String.raw`\[/?(?:CALL_ID\][\w-]{1,64}|[A-Z_]{3,24}\])`,
    String.raw`functools|✿[A-Z]{1,12}✿:?|function(?=<[|｜])`,
    String.raw`\*{0,2}Action(?: Input)?(?: ?\d+)?\*{0,2}:\*{0,2}`,
    String.raw`(?:assistant|commentary|analysis)+(?=\s*to=)`,
  ].join('|'),
  'yi',
);

/** What may stand before the name of a tool as well. */
const HEAD = String.raw`(?:to=|<${NAMESPACE}(?:invoke|function|function_call|tool_call|tool_use|tool)(?:\s+name)?\s*=\s*["']?|>>>|call:|tool:)?(?:functions?[.:]|default_api\.)?["'\x60*]{0,3}`;

/** What may stand between the name and the arguments as well. */
export const AFTER_NAME =
  /:\d+|["'`*\]>:=]|\b(?:json|code|with|arguments?|args|parameters?|params|input|commentary)\b/iy;

export const PARAMETER = new RegExp(
  String.raw`\s*<${NAMESPACE}parameter(?:\s+name\s*=\s*|(=))["']?([\w.-]{1,80})["']?(?:\s+string="(true|false)")?\s*>|\s*<arg_key>\s*([\w.-]{1,80})\s*</arg_key>\s*<arg_value>`,
  'y',
);
export const PARAMETER_END = new RegExp(
  `</${NAMESPACE}parameter>|</[|｜]DSML[|｜]parameter>|</arg_value>`,
  'g',
);
/** Where a value holds one of these, nobody knows where it ends. */
export const PARAMETER_INSIDE =
  /<(?:[\w-]{1,20}:|[|｜]DSML[|｜])?(?:parameter|invoke|function)\b|<arg_(?:key|value)>/;

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
  const tool = name.replace(/^(?:functions?[.:]|default_api\.)/, '');
  return [{ tool, arguments: args }];
}

/** `{"write_file": {"path": "a.ts"}}` */
function keyedCall(value: JsonObject, names: ReadonlySet<string>): readonly Call[] | undefined {
  const calls = Object.entries(value).map(([key, args]) =>
    names.has(key) && isObject(args) ? [{ tool: key, arguments: args }] : undefined,
  );
  return all(calls);
}

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

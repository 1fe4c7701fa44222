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
export const HEAD = String.raw`(?:to=|<${NAMESPACE}(?:invoke|function|function_call|tool_call|tool_use|tool)(?:\s+name)?\s*=\s*["']?|>>>|call:|tool:)?(?:functions?[.:]|default_api\.)?["'\x60*]{0,3}`;

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

// Calls in forms that were not asked for, as models write them if their server does not know their form.
const raw = String.raw;

export type Calls = readonly (readonly [string, object])[];

const A = { path: 'a.ts', content: 'x' };
const ARGS = '{"path": "a.ts", "content": "x"}';
const CALL = `{"name": "write_file", "arguments": ${ARGS}}`;
const WRITE: Calls = [['write_file', A]];
const READ = '{"name": "read_file", "arguments": {"path": "b.ts"}}';
const BOTH: Calls = [...WRITE, ['read_file', { path: 'b.ts' }]];
const CODE = 'if (a < b && c > d) {\n  f("</x>");\n}\n';
const fence = (text: string, language = 'json'): string => `\`\`\`${language}\n${text}\n\`\`\``;

/** Each is read as these calls. */
export const READABLE: readonly (readonly [string, string, Calls])[] = [
  ['Hermes, Qwen 2.5', `<tool_call>\n${CALL}\n</tool_call>`, WRITE],
  ['Qwen, two', `<tool_call>\n${CALL}\n</tool_call>\n<tool_call>\n${READ}\n</tool_call>`, BOTH],
  ['Qwen, prose before', `I will write it.\n\n<tool_call>\n${CALL}\n</tool_call>`, WRITE],
  ['Qwen, prose on the same line', `I will write it: <tool_call>${CALL}</tool_call>`, WRITE],
  ['Qwen, prose after', `<tool_call>\n${CALL}\n</tool_call>\nI wait for the result.`, WRITE],
  ['Qwen, not closed', `<tool_call>\n${CALL}`, WRITE],
  ['Qwen, thinking before', `<think>Hm, {"a"}.</think>\n<tool_call>\n${CALL}\n</tool_call>`, WRITE],
  ['Qwen, in a fence', fence(`<tool_call>\n${CALL}\n</tool_call>`, 'xml'), WRITE],
  ['Qwen, a token of its end', `<tool_call>\n${CALL}\n</tool_call><|im_end|>`, WRITE],
  [
    'Qwen, arguments as a string',
    `<tool_call>${JSON.stringify({ name: 'write_file', arguments: ARGS })}</tool_call>`,
    WRITE,
  ],
  [
    'Qwen, a Python dict',
    "<tool_call>\n{'name': 'write_file', 'arguments': {'path': 'a.ts', 'content': 'x'}}\n</tool_call>",
    WRITE,
  ],
  [
    'Qwen-Coder',
    '<tool_call>\n<function=write_file>\n<parameter=path>\na.ts\n</parameter>\n<parameter=content>\nx\n</parameter>\n</function>\n</tool_call>',
    WRITE,
  ],
  [
    'Qwen-Coder, code',
    `<tool_call>\n<function=write_file>\n<parameter=path>\na.ts\n</parameter>\n<parameter=content>\n${CODE}\n</parameter>\n</function>\n</tool_call>`,
    [['write_file', { path: 'a.ts', content: CODE }]],
  ],
  [
    'Qwen-Coder, a number',
    '<function=read_file>\n<parameter=path>\nb.ts\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>',
    [['read_file', { path: 'b.ts', limit: 5 }]],
  ],
  [
    'Qwen-Coder, no arguments',
    '<tool_call>\n<function=git_status>\n</function>\n</tool_call>',
    [['git_status', {}]],
  ],
  ['Qwen-Agent', `✿FUNCTION✿: write_file\n✿ARGS✿: ${ARGS}\n✿RESULT✿`, WRITE],
  [
    'GLM 4.5',
    '<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a.ts</arg_value>\n<arg_key>content</arg_key>\n<arg_value>x</arg_value>\n</tool_call>',
    WRITE,
  ],
  ['ChatGLM', `write_file\n${ARGS}`, WRITE],
  [
    'DeepSeek V3.1',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write_file<｜tool▁sep｜>${ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    WRITE,
  ],
  [
    'DeepSeek R1',
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n${fence(ARGS)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    WRITE,
  ],
  [
    'DeepSeek, ASCII bars',
    `I look.<|tool▁calls▁begin|><|tool▁call▁begin|>write_file<|tool▁sep|>${ARGS}<|tool▁call▁end|>`,
    WRITE,
  ],
  [
    'DeepSeek V3.2',
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="write_file">\n<｜DSML｜parameter name="path" string="true">a.ts</｜DSML｜parameter>\n<｜DSML｜parameter name="content" string="true">x</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    WRITE,
  ],
  [
    'DeepSeek V3.2, a number',
    '<｜DSML｜invoke name="read_file">\n<｜DSML｜parameter name="path" string="true">b.ts</｜DSML｜parameter>\n<｜DSML｜parameter name="limit" string="false">5</｜DSML｜parameter>\n</｜DSML｜invoke>',
    [['read_file', { path: 'b.ts', limit: 5 }]],
  ],
  [
    'Kimi K2',
    `<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>${ARGS}<|tool_call_end|><|tool_calls_section_end|>`,
    WRITE,
  ],
  ['Llama 3.1', `<|python_tag|>{"name": "write_file", "parameters": ${ARGS}}<|eom_id|>`, WRITE],
  [
    'Llama 3.1, without its token',
    `{"type": "function", "name": "write_file", "parameters": ${ARGS}}`,
    WRITE,
  ],
  [
    'Llama 3.1, several',
    `<|python_tag|>{"name": "write_file", "parameters": ${ARGS}}; {"name": "read_file", "parameters": {"path": "b.ts"}}`,
    BOTH,
  ],
  ['Llama 3.1, built-in', '<|python_tag|>write_file.call(path="a.ts", content="x")', WRITE],
  ['Llama 3.1, custom', `<function=write_file>${ARGS}</function>`, WRITE],
  ['Llama 3.2 and 4', '[write_file(path="a.ts", content="x"), read_file(path=\'b.ts\')]', BOTH],
  [
    'Llama 4, its token',
    '<|python_start|>[write_file(path="a.ts", content="x")]<|python_end|>',
    WRITE,
  ],
  [
    'gpt-oss',
    `<|channel|>analysis<|message|>We write.<|end|><|start|>assistant<|channel|>commentary to=functions.write_file <|constrain|>json<|message|>${ARGS}<|call|>`,
    WRITE,
  ],
  [
    'gpt-oss, recipient first',
    `<|start|>assistant to=functions.write_file<|channel|>commentary json<|message|>${ARGS}<|call|>`,
    WRITE,
  ],
  [
    'gpt-oss, without its tokens',
    `We write.assistantcommentary to=functions.write_file json${ARGS}`,
    WRITE,
  ],
  [
    'GPT-4',
    `{"tool_uses": [{"recipient_name": "functions.write_file", "parameters": ${ARGS}}, {"recipient_name": "functions.read_file", "parameters": {"path": "b.ts"}}]}`,
    BOTH,
  ],
  ['Mistral', `[TOOL_CALLS] [${CALL}]`, WRITE],
  ['Mistral, two', `[TOOL_CALLS][${CALL}, ${READ}]</s>`, BOTH],
  ['Mistral 3', `[TOOL_CALLS]write_file[ARGS]${ARGS}`, WRITE],
  ['Mistral 3, an id', `[TOOL_CALLS]write_file[CALL_ID]9a8b7c6d5[ARGS]${ARGS}`, WRITE],
  ['Mistral 3, without its first token', `write_file[ARGS]${ARGS}`, WRITE],
  ['Phi-4, FireFunction', `functools[${CALL}]`, WRITE],
  ['Phi-4-mini', `<|tool_call|>[{"type": "function", "function": ${CALL}}]<|/tool_call|>`, WRITE],
  ['Granite 3', `<|tool_call|>[${CALL}]`, WRITE],
  ['Granite 20B', `<function_call> ${CALL}`, WRITE],
  [
    'Command A',
    `<|START_ACTION|>[\n  {"tool_call_id": "0", "tool_name": "write_file", "parameters": ${ARGS}}\n]<|END_ACTION|>`,
    WRITE,
  ],
  [
    'Command R+',
    `Action: ${fence(`[\n  {"tool_name": "write_file", "parameters": ${ARGS}}\n]`)}`,
    WRITE,
  ],
  [
    'InternLM',
    `I write.<|action_start|><|plugin|>\n{"name": "write_file", "parameters": ${ARGS}}<|action_end|>`,
    WRITE,
  ],
  ['Apertus', `<|tools_prefix|>[{"write_file": ${ARGS}}]<|tools_suffix|>`, WRITE],
  ['LFM2', '<|tool_call_start|>[write_file(path="a.ts", content="x")]<|tool_call_end|>', WRITE],
  ['Nemotron', `<TOOLCALL>[${CALL}]</TOOLCALL>`, WRITE],
  ['Hunyuan, Jamba, xLAM', `<tool_calls>[${CALL}, ${READ}]</tool_calls>`, BOTH],
  ['MiniMax M1', `<tool_calls>\n${CALL}\n${READ}\n</tool_calls>`, BOTH],
  [
    'MiniMax M2',
    '<minimax:tool_call>\n<invoke name="write_file">\n<parameter name="path">a.ts</parameter>\n<parameter name="content">x</parameter>\n</invoke>\n</minimax:tool_call>',
    WRITE,
  ],
  [
    'Seed-OSS',
    '<seed:tool_call>\n<function=write_file>\n<parameter=path>a.ts</parameter>\n<parameter=content>x</parameter>\n</function>\n</seed:tool_call>',
    WRITE,
  ],
  [
    'Step 3',
    '<steptml:invoke name="write_file">\n<steptml:parameter name="path">a.ts</steptml:parameter>\n<steptml:parameter name="content">x</steptml:parameter>\n</steptml:invoke>',
    WRITE,
  ],
  [
    'Grok',
    '<xai:function_call name="write_file">\n<parameter name="path">a.ts</parameter>\n<parameter name="content">x</parameter>\n</xai:function_call>',
    WRITE,
  ],
  [
    'Claude',
    '<function_calls>\n<invoke name="write_file">\n<parameter name="path">a.ts</parameter>\n<parameter name="content">x</parameter>\n</invoke>\n</function_calls>',
    WRITE,
  ],
  [
    'Claude, its API',
    `{"type": "tool_use", "id": "toolu_1", "name": "write_file", "input": ${ARGS}}`,
    WRITE,
  ],
  [
    'OLMo 3',
    '<function_calls>\nwrite_file(path="a.ts", content="x")\nread_file(path="b.ts")\n</function_calls>',
    BOTH,
  ],
  ['Gemma 3', fence('write_file(path="a.ts", content="x")', 'tool_code'), WRITE],
  [
    'Gemma 3, prose before',
    `I write.\n\n${fence('write_file(path="a.ts", content="x")', 'tool_code')}`,
    WRITE,
  ],
  ['Gemini, its API', `{"functionCall": {"name": "write_file", "args": ${ARGS}}}`, WRITE],
  ['functionary 3.2', `>>>write_file\n${ARGS}`, WRITE],
  ['classic ReAct', `Thought: I write.\nAction: write_file\nAction Input: ${ARGS}`, WRITE],
  ['LM Studio', `[TOOL_REQUEST]${CALL}[END_TOOL_REQUEST]`, WRITE],
  [
    'OpenAI, its API',
    `{"tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "write_file", "arguments": ${JSON.stringify(ARGS)}}}]}`,
    WRITE,
  ],
  [
    'OpenAI, its first API',
    `{"function_call": {"name": "write_file", "arguments": ${JSON.stringify(ARGS)}}}`,
    WRITE,
  ],
  ['LangChain', fence(`{"action": "write_file", "action_input": ${ARGS}}`), WRITE],
  ['plain JSON', CALL, WRITE],
  ['plain JSON, a list', `[${CALL}, ${READ}]`, BOTH],
  ['plain JSON, one a line', `${CALL}\n${READ}`, BOTH],
  ['plain JSON, prose before', `I will write it now.\n\n${CALL}`, WRITE],
  ['fenced JSON, prose before', `I will write it now:\n\n${fence(CALL)}`, WRITE],
  [
    'fenced JSON, another shape',
    `Next:\n\n${fence(`{"tool": "write_file", "args": ${ARGS}}`)}`,
    WRITE,
  ],
  [
    'the JSON protocol behind words',
    `I begin.\n{"plan": "Write.", "tool_calls": [{"tool_name": "write_file", "arguments": ${ARGS}}]}`,
    WRITE,
  ],
  [
    'the ReAct protocol',
    `I write.\n<tool_code>\n<name>write_file</name>\n<parameters>\n${ARGS}\n</parameters>\n</tool_code>`,
    WRITE,
  ],
];

/** Each is answered with a reminder: it is a call, or part of one, but what it says is not certain. */
export const UNREADABLE: readonly (readonly [string, string])[] = [
  ['a patch of Codex', '*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch'],
  ['JSON with the name under a key of its own', '{"cmd": "write_file", "path": "a.ts"}'],
  ['a list of such JSON, in a fence', fence('[{"type": "read_file", "path": "a.ts"}]')],
  ['a command of a shell, alone in a fence', fence('read_file a.ts', 'bash')],
  ['arguments behind colons', 'read_file path: "a.ts"'],
  ['a call as TOML', '[tool.read_file]\npath = "a.md"'],
  ['a call as TOML behind words', 'I read it.\n\n[[read_file]]\npath = "a.md"\nlimit = 3'],
  ['a call as a slash command', '/read_file path=a.md'],
  ['a call as a command line', 'I look first.\n\n$ read_file --path a.md'],
  [
    'an unknown tool',
    '<tool_call>\n{"name": "str_replace_editor", "arguments": {"path": "a.ts"}}\n</tool_call>',
  ],
  [
    'an unknown tool, fenced',
    `I edit.\n\n${fence('{"name": "str_replace_editor", "arguments": {"path": "a.ts"}}')}`,
  ],
  ['a list of unknown tools', '[{"name": "view", "arguments": {}}]'],
  [
    'broken JSON',
    '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.ts", "content": "say "hi""}}\n</tool_call>',
  ],
  [
    'a key twice',
    '<tool_call>{"name": "write_file", "arguments": {"path": "a.ts", "path": "b.ts"}}</tool_call>',
  ],
  [
    'the tool under two names of its key',
    '{"name": "read_file", "tool": "write_file", "arguments": {"path": "a.ts"}}',
  ],
  [
    'the arguments under two names of their key',
    '{"name": "read_file", "arguments": {"path": "a.ts"}, "parameters": {"path": "b.ts"}}',
  ],
  [
    'JSON that breaks off',
    'I write.\n{"name": "write_file", "arguments": {"path": "a.ts", "content": "x',
  ],
  [
    'a call and a broken one',
    `<tool_call>${CALL}</tool_call>\n<tool_call>{"name": "read_file", "arg</tool_call>`,
  ],
  ['a call and a quoted one', `<tool_call>${CALL}</tool_call>\nNext comes write_file ${ARGS}.`],
  ['an empty tag', 'x\n<tool_call>\n{}</tool_call>'],
  ['a call in inline code', `I would call \`${CALL}\` now.`],
  ['a fenced call amid prose', `I did this:\n\n${fence(CALL)}\n\nand it worked.`],
  [
    'a call amid a sentence',
    `I called {"name": "write_file", "arguments": ${ARGS}} and it worked.`,
  ],
  [
    'escaped as HTML',
    '&lt;tool_code&gt;\n&lt;name&gt;write_file&lt;/name&gt;\n&lt;parameters&gt;\n{"path": "a.ts"}\n&lt;/parameters&gt;\n&lt;/tool_code&gt;',
  ],
  ['escaped as Markdown', raw`\<tool_call\>{"name": "view", "arguments": {}}\</tool_call\>`],
  [
    'a call in tags that breaks off',
    '<｜DSML｜invoke name="read_file"><｜DSML｜parameter name="path" string="true">a.ts</｜DSML｜parameter>',
  ],
  ['headings', `**Tool call:** \`write_file\`\n\n**Arguments:**\n${fence(ARGS)}`],
  [
    'nested parameters',
    '<function=write_file>\n<parameter=content>\n<parameter=path>a</parameter>\n</parameter>\n</function>',
  ],
  [
    'Gemma, its own quotes',
    '<start_function_call>call:write_file{path:<escape>a.ts<escape>}<end_function_call>',
  ],
  ['Gemma 4', '<|tool_call>call:write_file{path:<|"|>a.ts<|"|>}<tool_call|>'],
  ['Cline', '<write_file>\n<path>a.ts</path>\n<content>x</content>\n</write_file>'],
  [
    'Gemini, wrapped in Python',
    fence('print(default_api.write_file(path="a.ts", content="x"))', 'tool_code'),
  ],
  ['Python with positions', fence('write_file("a.ts", "x")', 'tool_code')],
  ['a tag that breaks off', 'I write.\n<tool_call>'],
  ['a token alone', 'I write.<｜tool▁calls▁begin｜>'],
  ['a name before braces', `Now write_file: ${ARGS}`],
  ['a name in bold before a fence', `**write_file**\n${fence('{"path": "a.ts"')}`],
  ['a name with words before braces', `write_file with arguments {"path": "a.ts"}`],
  ['a bracket with attributes', '[write_file path="a.ts"]'],
  [
    'a wire token in the middle',
    'Let me see.<|channel|>commentary to=functions.view <|message|>{}',
  ],
];

/** Each is an answer: it mentions tools, or holds JSON or code, and is no call. */
export const ANSWERS: readonly (readonly [string, string])[] = [
  [
    'a section of a file of settings',
    `The new setting is:\n\n${fence('[tool.finish]\nsummary = "short"', 'toml')}`,
  ],
  ['a command line in code', `Run it:\n\n${fence('write_file --path a.md', 'sh')}`],
  ['a tool and an equation', 'With read_file and path=a.md it says "x".'],
  ['a tool in words', 'Done. I used write_file to add a.ts, and read_file to check it.'],
  ['a tool in code', 'Done: `write_file` added `a.ts`; see `git_status`.'],
  [
    'a function in code',
    'The tool `write_file()` now refuses empty paths, and so does `read_file(path)`.',
  ],
  [
    'a function in a fence',
    `Use it like this:\n\n${fence('const text = await read_file(path);\nif (text === null) return {};', 'ts')}`,
  ],
  ['braces elsewhere', 'I used write_file to put `{}` into a.json.\n\n{"a": 1} stays valid.'],
  [
    'JSON that is no call',
    `The new setting:\n\n${fence('{"name": "app", "version": "1.0.0", "files": ["a.ts"]}')}`,
  ],
  ['JSON as the whole answer', '{"status": "ok", "files": ["a.ts", "b.ts"]}'],
  [
    'JSON with a plain word',
    `The webhook sends:\n\n${fence('{"commit": "abc", "finish": {"at": 1}}')}`,
  ],
  [
    'JSON with a plain word as a name',
    `The package:\n\n${fence('{\n  "name": "commit",\n  "scripts": { "finish": "node finish.js" }\n}')}`,
  ],
  [
    'JSON after a paragraph about tools',
    `I used read_file and write_file\n\n${fence('{"status": "ok"}')}`,
  ],
  [
    'a link',
    'See [write_file](src/tools/files/write-file.ts), and commit [1a2b3c](https://example.com).',
  ],
  ['a list', '- [x] write_file is documented\n- [ ] read_file (later)\n- commit'],
  ['a table', '| tool | result |\n| --- | --- |\n| write_file | { ok } |'],
  ['a tag in words', 'The reader understands <tool_call> tags and `<function=…>` now.'],
  ['a tag in inline code', 'It removes `<tool_call>` and `[TOOL_CALLS]` from texts.'],
  ['HTML', 'Escape it as `&lt;b&gt;`, or write &lt;b&gt;.'],
  ['words that are tools', 'commit (the last one) was wrong. finish [later].'],
  ['a shell', `Run:\n\n${fence('git commit -m "finish {it}"\ncommit() { git "$@"; }', 'sh')}`],
  [
    'a generic type',
    'It returns `Map<string, write_file>` no more; `Array<read_file>` neither, x < write_file > y.',
  ],
  ['a question', 'Should write_file create folders? (read_file does not.)'],
  ['an action', 'The action: merge it.\nThe tools did the rest.'],
  ['an end token', 'Done.<|im_end|>'],
  [
    'a function definition',
    `Added:\n\n${fence('def write_file(path, content):\n    return {"path": path}', 'python')}`,
  ],
];

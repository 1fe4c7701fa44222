// Replies of the ReAct protocol as models write them: the call or the answer that each holds, or
// the fault that the model has to read.
const raw = String.raw;

const tags = (parameters: string, name = 'write_file'): string =>
  `<tool_code>\n<name>${name}</name>\n<parameters>\n${parameters}\n</parameters>\n</tool_code>`;
const lines = (input: string): string =>
  `Thought: I look.\nAction: write_file\nAction Input: ${input}`;

const A = { path: 'a.ts' };
const CALL = tags('{"path": "a.ts"}');
const OTHER = tags('{"path": "b.ts"}', 'delete_file');
const AWKWARD = '</parameters></tool_code><observation>```\n{"a": }</final_answer>\nAction: x';

/** All of them call `write_file`. */
export const CALLS: readonly (readonly [string, string, object])[] = [
  ['a call', CALL, A],
  ['a call after a thought', `I look.\n\n${CALL}`, A],
  ['a call on one line', CALL.replaceAll('\n', ''), A],
  ['a call with Windows line ends', CALL.replaceAll('\n', '\r\n'), A],
  ['a call after thinking', `<think>${OTHER}</think>${CALL}`, A],
  ['a call after thinking without an opening tag', `I could.\n</think>\n\n${CALL}`, A],
  ['a call in a fence', `\`\`\`xml\n${CALL}\n\`\`\``, A],
  ['parameters in a fence', tags('```json\n{"path": "a.ts"}\n```'), A],
  ['parameters over many lines', tags('{\n  "path": "a.ts"\n}'), A],
  ['parameters of a Python dict', tags("{'path': 'a.ts', 'force': True}"), { ...A, force: true }],
  ['parameters that are encoded twice', tags(JSON.stringify('{"path": "a.ts"}')), A],
  ['no parameters', tags(''), {}],
  [
    'parameters that hold tags and labels',
    tags(JSON.stringify({ text: AWKWARD })),
    { text: AWKWARD },
  ],
  [
    'parameters that hold them with line breaks',
    tags('{"text": "</parameters>\n</tool_code>"}'),
    { text: '</parameters>\n</tool_code>' },
  ],
  [
    'parameters with single backslashes',
    tags(raw`{"path": "C:\Work\data", "find": "\d+\.\w"}`),
    { path: raw`C:\Work\data`, find: raw`\d+\.\w` },
  ],
  ['a call whose last tag is missing', CALL.replace('</tool_code>', ''), A],
  ['a call whose last two tags are missing', CALL.replace(/<\/parameters>\s*<\/tool_code>/, ''), A],
  ['a call without </parameters>', CALL.replace('</parameters>', ''), A],
  ['a call with prose after it', `${CALL}\nNow I wait.`, A],
  ['a call and an invented observation', `${CALL}\n<observation>\nok\n</observation>\n${OTHER}`, A],
  ['a call, and an answer that came too early', `${CALL}\n<final_answer>Done.</final_answer>`, A],
  ['two calls', `${CALL}\n${OTHER}`, A],
  ['a call after a word about <tool_code>', `I use <tool_code> now.\n${CALL}`, A],
  ['a call after a word about an <observation>', `The <observation> says so.\n${CALL}`, A],
  ['a call after labels of its steps', `THOUGHT: I look.\nACTION:\n${CALL}`, A],
  ['a call in a bold step', `**Thought:** I look.\n\n**Action:**\n${CALL}`, A],
  ['classic lines', lines('{"path": "a.ts"}'), A],
  ['classic lines without a thought', 'Action: write_file\nAction Input: {"path": "a.ts"}', A],
  ['classic lines with Windows line ends', lines('{"path": "a.ts"}').replaceAll('\n', '\r\n'), A],
  ['classic lines with input over many lines', lines('{\n  "path": "a.ts"\n}\n'), A],
  ['classic lines with input on the next line', lines('\n{"path": "a.ts"}'), A],
  ['classic lines with a fence', lines('\n```json\n{"path": "a.ts"}\n```'), A],
  [
    'classic lines with inline code',
    lines('`{"path": "a.ts"}`').replace(': write_file', ': `write_file`'),
    A,
  ],
  [
    'classic lines in bold',
    lines('{"path": "a.ts"}').replaceAll(/^([A-Z][\w ]+):/gm, '**$1:**'),
    A,
  ],
  [
    'classic lines in capitals',
    'THOUGHT: x\nACTION: write_file\nACTION INPUT: {"path": "a.ts"}',
    A,
  ],
  [
    'classic lines with numbers',
    'Thought 1: x\nAction 1: write_file\nAction Input 1: {"path": "a.ts"}',
    A,
  ],
  ['classic lines with a Python dict', lines("{'path': 'a.ts'}"), A],
  ['classic lines with braces in a string', lines(raw`{'path': '}{"}'}`), { path: '}{"}' }],
  [
    'classic lines with labels in a string',
    lines('{"text": "x\nObservation: y\nFinal Answer: z"}'),
    { text: 'x\nObservation: y\nFinal Answer: z' },
  ],
  ['classic lines with no input', lines(''), {}],
  ['classic lines with None for input', lines('None'), {}],
  ['JSON right after the name', 'Thought: x\nAction: write_file {"path": "a.ts"}', A],
  ['a dict right after the name', "Action: `write_file` {'path': 'a.ts'}\nObservation: ok", A],
  ['a fence right after the name', 'Action: write_file\n```json\n{"path": "a.ts"}\n```', A],
  [
    'a call in Python',
    'Thought: x\nAction: write_file(path="a.ts", force=True)',
    { ...A, force: true },
  ],
  ['a call in Python without arguments', 'Action: write_file()\nObservation: ok', {}],
  ['classic lines with a stop at the observation', `${lines('{"path": "a.ts"}')}\nObservation:`, A],
  [
    'classic lines with an invented observation',
    `${lines('{"path": "a.ts"}')}\nObservation: ok\nFinal Answer: Done.`,
    A,
  ],
];

export const ANSWERS: readonly (readonly [string, string, string])[] = [
  ['text without tags', 'All is done.\n\n- one\n- two', 'All is done.\n\n- one\n- two'],
  ['text with braces and fences', 'Done: ```js\nf({})\n```', 'Done: ```js\nf({})\n```'],
  ['text in tags', 'x\n<final_answer>\nDone.\n</final_answer>', 'Done.'],
  ['text in tags that are not closed', '<final_answer>Done.', 'Done.'],
  [
    'text in tags that speaks of them',
    `<final_answer>Use </final_answer> and ${CALL}.</final_answer>`,
    `Use </final_answer> and ${CALL}.`,
  ],
  ['text after a label', 'Thought: all done.\nFinal Answer: Done.\nReally.', 'Done.\nReally.'],
  ['text after a bold label', '**Thought:** x\n**Final Answer:** Done.', 'Done.'],
  ['text after a label and in tags', 'FINAL ANSWER:\n<final_answer>Done.</final_answer>', 'Done.'],
  [
    'text in the fence of LangChain',
    'Thought: x\nAction:\n```json\n{"action": "Final Answer", "action_input": "Done."}\n```',
    'Done.',
  ],
  ['text after thinking', `<think>${CALL}</think>\nDone.`, 'Done.'],
  [
    'a report that has an observation',
    'Done.\nObservation: the tests pass.',
    'Done.\nObservation: the tests pass.',
  ],
];

export const FAULTS: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', ' \n', /neither a call nor an answer/],
  ['thinking that never ends', `<think>Perhaps ${CALL}`, /neither a call nor an answer/],
  ['an empty answer', '<final_answer> </final_answer>', /neither a call nor an answer/],
  ['a thought alone', 'Thought: I should read the file.', /a thought, but neither/],
  [
    'an invented observation',
    '<observation>ok</observation>\n<final_answer>Done.</final_answer>',
    /observation that you wrote yourself/,
  ],
  [
    'an invented observation after a label',
    'Thought: x\nObservation: ok\nFinal Answer: Done.',
    /observation that you wrote yourself/,
  ],
  [
    'an answer and then a call',
    `<final_answer>Done.</final_answer>\n${CALL}`,
    /both a final answer and a call/,
  ],
  [
    'an answer after a label and then a call',
    `Final Answer: Done.\n${lines('{}')}`,
    /both a final answer and a call/,
  ],
  [
    'a broken call before an answer',
    '<tool_code>write_file</tool_code>\n<final_answer>Done.</final_answer>',
    /an incomplete tool call/,
  ],
  [
    'a call in the middle of thinking',
    `Perhaps ${CALL}\nor not.</think>\n${OTHER}`,
    /inside the thinking/,
  ],
  [
    'a call without a name',
    '<tool_code><parameters>{}</parameters></tool_code>',
    /an incomplete tool call/,
  ],
  ['a call with an empty name', tags('{}', ' '), /does not name its tool/],
  [
    'a call without parameters',
    '<tool_code>\n<name>finish</name>\n</tool_code>',
    /an incomplete tool call/,
  ],
  ['a call whose first tag is missing', CALL.replace('<tool_code>', ''), /an incomplete tool call/],
  ['parameters as a list', tags('["a.ts"]'), /not a JSON object/],
  ['parameters as tags', tags('<path>a.ts</path>'), /a value is expected/],
  ['parameters without their last brace', tags('{"path": "a.ts"'), /"," or "}" is expected/],
  ['parameters with quotes in a string', tags('{"path": "a "b" c"}'), /write a quote as \\"/],
  ['a path that is half an escape', tags(raw`{"path": "C:\Users\new"}`), /neither is certain/],
  [
    'parameters that continue after their object',
    tags('{"path": "a.ts"}, "x"'),
    /continues after its JSON object/,
  ],
  [
    'parameters of 66 levels',
    tags(`${'{"a":'.repeat(65)}{}${'}'.repeat(65)}`),
    /nested too deeply/,
  ],
  ['classic lines without input', 'Thought: x\nAction: finish', /without an "Action Input:"/],
  ['classic lines with input that is no JSON', lines('a.ts'), /a value is expected/],
  ['classic lines with input that was not finished', lines('{"path": "a.ts'), /no closing quote/],
  [
    'classic lines without a name',
    'Action: the right one\nAction Input: {}',
    /does not name its tool/,
  ],
  [
    'a call in Python of two values',
    'Action: write_file("a.ts", "x")',
    /without an "Action Input:"/,
  ],
  ['a call in Python that is not closed', 'Action: write_file(path="a.ts"', /without an "Action/],
  ['input without an action', 'Action Input: {"path": "a.ts"}', /an incomplete tool call/],
  [
    'a call in the form of another system',
    '<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>',
    /a different form/,
  ],
  [
    'a call of the json protocol',
    '```json\n{"plan": "x", "tool_calls": []}\n```',
    /a different form/,
  ],
  [
    'a call as bare JSON',
    '{"name": "write_file", "parameters": {"path": "a.ts"}}',
    /a different form/,
  ],
];

// Replies of the JSON protocol as models write them, and the one right reading of each: the
// arguments of its only call, or what the model has to be told.
const raw = String.raw;

/** The arguments in the text that a careful model would have written around them. */
const reply = (args: string): string =>
  `{"plan": "x", "tool_calls": [{"tool_name": "write_file", "arguments": ${args}}]}`;
const careful = (args: object): string => reply(JSON.stringify(args));

const A = { path: 'a.ts' };
const PLAIN = careful(A);
const WITH_LINES = reply('{"path": "a\nb"}');

export const READABLE: readonly (readonly [string, string, object])[] = [
  ['as it should be', PLAIN, A],
  ['over many lines', JSON.stringify(JSON.parse(PLAIN), null, 2), A],
  ['with `thoughts` in place of `plan`', PLAIN.replace('plan', 'thoughts'), A],
  [
    'with Windows line ends',
    JSON.stringify(JSON.parse(PLAIN), null, 2).replaceAll('\n', '\r\n'),
    A,
  ],
  ['after a byte order mark', `\u{FEFF}${PLAIN}`, A],
  ['in a fence with a language', `\`\`\`json\n${PLAIN}\n\`\`\``, A],
  ['in a fence without one', `\`\`\`\n${PLAIN}\n\`\`\``, A],
  ['in a fence of another language', `\`\`\`javascript\n${PLAIN}\n\`\`\``, A],
  ['in a fence on one line', `\`\`\`json ${PLAIN} \`\`\``, A],
  ['in a fence of tildes', `~~~json\n${PLAIN}\n~~~`, A],
  ['in a fence that is not closed', `\`\`\`json\n${PLAIN}`, A],
  ['in inline code', `\`${PLAIN}\``, A],
  ['with prose around it', `Sure! Here it is:\n${PLAIN}\nThat's all.`, A],
  ['with prose around a fence', `It's this:\n\`\`\`json\n${PLAIN}\n\`\`\`\nDone {really}.`, A],
  ['after prose with braces', `The set {a, b} and f() { return {} } matter.\n${PLAIN}`, A],
  ['after code in prose', `const x = { a: 1, b: foo() };\n${PLAIN}`, A],
  ['after an object that is none of ours', `{"status": "ok"}\n${PLAIN}`, A],
  ['before an empty object', `${PLAIN}\n{}`, A],
  ['with a brace too many', `${PLAIN}}`, A],
  ['without its very last brace', PLAIN.slice(0, -1), A],
  ['written twice', `${PLAIN}\n\nOnce more:\n${PLAIN}`, A],
  ['after thinking', `<think>{"plan": "no"} {{"</think>\n${PLAIN}`, A],
  ['after thinking without an opening tag', `Let me see, {x}.\n</think>\n${PLAIN}`, A],
  ['encoded twice', JSON.stringify(PLAIN), A],
  ['encoded twice, in a fence', `\`\`\`json\n${JSON.stringify(PLAIN)}\n\`\`\``, A],
  ['in an array of one', `[${PLAIN}]`, A],
  ['with arguments as a string', reply(JSON.stringify('{"path": "a.ts"}')), A],
  [
    'with single quotes',
    "{'plan': 'x', 'tool_calls': [{'tool_name': 'write_file', 'arguments': {'path': 'a.ts'}}]}",
    A,
  ],
  [
    'as a Python dict',
    reply(raw`{'all': True, 'none': None, 'not': False, 'said': "it's", 'did': 'don\'t'}`),
    { all: true, none: null, not: false, said: "it's", did: "don't" },
  ],
  ['with a word of Python in a string', reply("{'path': 'None'}"), { path: 'None' }],
  ['with smart quotes', PLAIN.replaceAll(/"([^"]*)"/g, '“$1”'), A],
  ['with smart quotes that all close', PLAIN.replaceAll('"', '”'), A],
  ['with quotes in smart quotes', reply('{“path”: “say "hi"”}'), { path: 'say "hi"' }],
  ['with keys that have no quotes', reply('{path: "a.ts", $x_1: 2}'), { path: 'a.ts', $x_1: 2 }],
  ['with a comma too many', PLAIN.replace('}]}', '},],}'), A],
  [
    'with comments',
    PLAIN.replace('"tool', '// it\'s "first"\n/* { */ "tool').replace('}]}', '} # }\n]}'),
    A,
  ],
  [
    'with a comment in a string',
    careful({ path: '// a /* b */ # c' }),
    { path: '// a /* b */ # c' },
  ],
  ['with line breaks in a string', WITH_LINES, { path: 'a\nb' }],
  ['with Windows line breaks in a string', reply('{"path": "a\r\nb"}'), { path: 'a\r\nb' }],
  ['with tabs and NUL in a string', reply('{"path": "a\tb\0c"}'), { path: 'a\tb\0c' }],
  ['with NUL as an escape', careful({ path: 'a\0b' }), { path: 'a\0b' }],
  [
    'with a Windows path of single backslashes',
    reply(raw`{"path": "C:\Work\data"}`),
    { path: raw`C:\Work\data` },
  ],
  [
    'with a Windows path as it should be',
    careful({ path: raw`C:\Users\new\table` }),
    { path: raw`C:\Users\new\table` },
  ],
  [
    'with a Windows path that is valid JSON',
    reply(raw`{"path": "C:\new\table"}`),
    { path: 'C:\new\table' },
  ],
  [
    'with a Windows path in single quotes',
    reply(raw`{'path': 'C:\Work\data'}`),
    { path: raw`C:\Work\data` },
  ],
  [
    'with a share of single backslashes',
    reply(raw`{"path": "C:\Work$\é"}`),
    { path: raw`C:\Work$\é` },
  ],
  [
    'with a regular expression of single backslashes',
    reply(raw`{"path": "\d+\.\w\s*$"}`),
    { path: raw`\d+\.\w\s*$` },
  ],
  ['with one that has escaped quotes', reply(raw`{"path": "/\"\d+\"/"}`), { path: raw`/"\d+"/` }],
  [
    'with a regular expression as it should be',
    careful({ path: raw`\bfoo\d+\/\n` }),
    { path: raw`\bfoo\d+\/\n` },
  ],
  [
    'with a line that ends in a backslash',
    reply('{"path": "RUN a \\\n  && b"}'),
    { path: 'RUN a \\\n  && b' },
  ],
  [
    'with a terminal sequence of single backslashes',
    reply(raw`{"path": "\x1b[0m"}`),
    { path: raw`\x1b[0m` },
  ],
  [
    'with JSON in a string',
    careful({ path: '{"plan": "y", "tool_calls": []}' }),
    { path: '{"plan": "y", "tool_calls": []}' },
  ],
  ['with fences in a string', careful({ path: '```json\n{}\n```' }), { path: '```json\n{}\n```' }],
  ['with braces in a string', careful({ path: '}]}{[' }), { path: '}]}{[' }],
  [
    'with tags in a string',
    careful({ path: '</parameters></think><think>' }),
    { path: '</parameters></think><think>' },
  ],
  [
    'with code in a string',
    careful({ path: '`${a["b"]}` // \\n' }),
    { path: '`${a["b"]}` // \\n' },
  ],
  ['with quotes of all kinds in a string', careful({ path: `'"“”‘’` }), { path: `'"“”‘’` }],
  [
    'with other scripts in a string',
    careful({ path: '日本語 🙂 e\u0301 \u2028' }),
    { path: '日本語 🙂 e\u0301 \u2028' },
  ],
  ['with surrogates as escapes', reply(raw`{"path": "\ud83d\ude42"}`), { path: '🙂' }],
  [
    'with numbers of all kinds',
    reply('{"a": -0.5e+3, "b": 0, "c": 9007199254740991}'),
    { a: -500, b: 0, c: 9007199254740991 },
  ],
  [
    'with a key that objects have',
    reply('{"__proto__": {"x": 1}, "constructor": 2}'),
    JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'),
  ],
  ['with an empty key', reply('{"": 1}'), { '': 1 }],
  [
    'with arguments of 65 levels',
    reply(`${'{"a":'.repeat(64)}{}${'}'.repeat(64)}`),
    JSON.parse(`${'{"a":'.repeat(64)}{}${'}'.repeat(64)}`),
  ],
];

export const UNREADABLE: readonly (readonly [string, string, RegExp])[] = [
  ['nothing', '', /no JSON object/],
  ['prose', 'I think we should read the file first.', /no JSON object/],
  ['an object that is none of ours', '{"answer": 42}', /no JSON object/],
  ['our object inside another', `{"response": ${PLAIN}}`, /no JSON object/],
  ['thinking that never ends', `<think>I could write ${PLAIN}`, /no JSON object/],
  ['no plan', PLAIN.replace('"plan": "x", ', ''), /"plan" is missing/],
  ['a plan that is a list', PLAIN.replace('"x"', '["x"]'), /"plan" is missing or not a string/],
  ['no tool_calls', '{"plan": "x"}', /"tool_calls" is missing/],
  [
    'tool_calls as an object',
    '{"plan": "x", "tool_calls": {"tool_name": "a", "arguments": {}}}',
    /not an array/,
  ],
  ['no call at all', '{"plan": "x", "tool_calls": []}', /empty.*finish/],
  [
    'a call that is a string',
    '{"plan": "x", "tool_calls": ["finish"]}',
    /tool_calls\[0\] is not an object/,
  ],
  [
    'a call without a name',
    '{"plan": "x", "tool_calls": [{"arguments": {}}]}',
    /has no "tool_name"/,
  ],
  ['a misspelt name', PLAIN.replace('tool_name', 'toolname'), /has no "tool_name"/],
  ['`args` for `arguments`', PLAIN.replace('"arguments"', '"args"'), /exactly "arguments"/],
  ['no arguments', '{"plan": "x", "tool_calls": [{"tool_name": "a"}]}', /exactly "arguments"/],
  ['arguments as null', reply('null'), /"arguments" of tool_calls\[0\] is not an object/],
  ['arguments as a list', reply('[]'), /is not an object/],
  ['arguments as words', reply('"a.ts"'), /is not an object/],
  [
    'two different objects',
    `${PLAIN}\n${careful({ path: 'b.ts' })}`,
    /several different JSON objects/,
  ],
  ['an array of two', `[${PLAIN}, ${careful({ path: 'b.ts' })}]`, /several different/],
  ['plan and calls in two objects', `{"plan": "x"} {"tool_calls": []}`, /several different/],
  [
    'a broken object before a good one',
    `{"plan": "say "hi"", "tool_calls": []}\n${PLAIN}`,
    /line 1, column 16, before «hi/,
  ],
  [
    'a broken object with ours in a string',
    `{"path": "say "hi" {'plan': 'x', 'tool_calls': [{'tool_name': 'a', 'arguments': {}}]}"}`,
    /column 16, before «hi/,
  ],
  ['quotes in a string', reply('{"path": "a "b" c"}'), /write a quote as \\"/],
  [
    'quotes that look like the end of a string',
    reply('{"path": "["a", "b"]"}'),
    /"," or "}" is expected/,
  ],
  ['an apostrophe in single quotes', reply("{'path': 'don't'}"), /"," or "}" is expected/],
  [
    'a Windows path that is half an escape',
    reply(raw`{"path": "C:\Users\new\table"}`),
    /column 83, before «\\Users.*neither is certain/,
  ],
  ['a path with \\u that is no escape', reply(raw`{"path": "C:\users\new"}`), /neither is certain/],
  [
    'a regular expression that is half an escape',
    reply(raw`{"path": "\bfoo\d"}`),
    /neither is certain/,
  ],
  [
    'a pattern beside content with escapes',
    reply(raw`{"path": "\d", "content": "a\nb"}`),
    /neither is certain/,
  ],
  [
    'a quote that was escaped in vain, or for a shell',
    reply(raw`{"path": "'it'\''s'"}`),
    /must be doubled, or left out/,
  ],
  ['a double quote escaped in single ones', reply(raw`{'path': 'say \"hi\"'}`), /must be doubled/],
  ['an escape that only Python has', reply(raw`{'path': '\x1b[0m'}`), /must be doubled/],
  ['a slash that Python leaves its backslash', reply(raw`{'path': '^\/api'}`), /must be doubled/],
  ['a string in three quotes', reply('{"path": """a"""}'), /"," or "}" is expected/],
  ['a string in backticks', reply('{"path": `a`}'), /a value is expected/],
  ['two strings added up', reply('{"path": "a" + "b"}'), /"," or "}" is expected/],
  ['a comma too few', PLAIN.replace(', "tool_calls"', ' "tool_calls"'), /"," or "}" is expected/],
  ['a comma in place of a value', reply('{"path": ,}'), /a value is expected/],
  ['an ellipsis', reply('{"path": "a", ...}'), /a key or "}" is expected/],
  ['a brace too few in the middle', PLAIN.replace('}}]}', '}]}'), /"," or "}" is expected/],
  ['two braces too few at the end', PLAIN.slice(0, -3), /at its end/],
  ['an end in the middle of a string', PLAIN.slice(0, -8), /no closing quote/],
  ['words of JavaScript', reply('{"path": undefined}'), /a value is expected/],
  ['a number that JSON has not', reply('{"line": 007}'), /"," or "}" is expected/],
  ['a number beyond all numbers', reply('{"line": 1e999}'), /number that is too large/],
  [
    'a key that stands there twice',
    reply('{"path": "a", "path": "b"}'),
    /this key stands there twice/,
  ],
  [
    'tool_calls twice',
    PLAIN.replace('}]}', '}], "tool_calls": []}'),
    /this key stands there twice/,
  ],
  [
    'arguments of 66 levels',
    reply(`${'{"a":'.repeat(65)}{}${'}'.repeat(65)}`),
    /nested too deeply/,
  ],
  [
    'arguments of 5,000 levels',
    reply(`{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`),
    /nested too deeply/,
  ],
  [
    '51 calls',
    JSON.stringify({
      plan: 'x',
      tool_calls: Array.from({ length: 51 }, () => ({ tool_name: 'a', arguments: {} })),
    }),
    /at most 50/,
  ],
];

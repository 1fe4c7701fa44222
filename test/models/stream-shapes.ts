// What servers send in place of a stream as OpenAI sends it. The bytes are written after the reports that stand beside them,
// in words of our own.

export interface StreamShape {
  readonly name: string;
  /** Where it was reported. */
  readonly source: string;
  readonly contentType?: string;
  readonly body: string;
  /** The calls that it means: tool and arguments. */
  readonly calls?: readonly (readonly [tool: string, given: object])[];
  readonly text?: string;
}

/** The tools that the requests offer. */
export const OFFERED = ['read_file', 'list_files', 'finish'];

export const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
export const chunk = (delta: object, finish: string | null = null): string =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
export const pieces = (...calls: object[]): string =>
  calls.map((call) => chunk({ tool_calls: [call] })).join('');
export const named = (name: string, given: string): object => ({
  type: 'function',
  function: { name, arguments: given },
});
const more = (given: string): object => ({ function: { arguments: given } });
const END = chunk({}, 'tool_calls');
export const USAGE = event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } });
export const DONE = 'data: [DONE]\n\n';
const closed = (...calls: object[]): string => pieces(...calls) + END + DONE;

const A = ['read_file', { path: 'a.ts' }] as const;
const B = ['read_file', { path: 'b.ts' }] as const;
const A_TEXT = '{"path":"a.ts"}';
const B_TEXT = '{"path":"b.ts"}';

const OF_CALLS: readonly StreamShape[] = [
  {
    name: 'a new id with each piece of one call',
    source: 'NousResearch/hermes-agent#5254, PR#5331, PR#45164',
    body: closed(
      { index: 0, id: 'tool_1', ...named('read_file', '') },
      { index: 0, id: 'tool_2', ...more('{"') },
      { index: 0, id: 'tool_3', ...more('path') },
      { index: 0, id: 'tool_4', ...more('":"a.ts"}') },
    ),
    calls: [A],
  },
  {
    name: 'one id with the name, and another with all that follows',
    source: 'poolsideai/pool#9',
    body: closed(
      { index: 0, id: 'call_a', ...named('read_file', '') },
      { index: 0, id: 'call_b', ...more('{"path":') },
      { index: 0, id: 'call_b', ...more('"a.ts"}') },
    ),
    calls: [A],
  },
  {
    name: 'a new id and the name with each piece',
    source: 'lmstudio-ai/lmstudio-bug-tracker#649',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '{"path":') },
      { index: 0, id: 'c2', ...named('read_file', '"a.ts"}') },
    ),
    calls: [A],
  },
  {
    name: 'a new id within two indexes',
    source: 'NousResearch/hermes-agent PR#5331',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '') },
      { index: 0, id: 'c2', ...more(A_TEXT) },
      { index: 1, id: 'c3', ...named('read_file', '') },
      { index: 1, id: 'c4', ...more('{"path":') },
      { index: 1, id: 'c5', ...more('"b.ts"}') },
    ),
    calls: [A, B],
  },
  {
    name: 'index 0 for all calls, and no ids',
    source: 'unslothai/unsloth#10059, vllm-project/vllm#18412',
    body: closed(
      { index: 0, ...named('read_file', A_TEXT) },
      { index: 0, ...named('read_file', B_TEXT) },
    ),
    calls: [A, B],
  },
  {
    name: 'index 0 for all calls, no ids, and the arguments in pieces',
    source: 'BerriAI/litellm#21331',
    body: closed(
      { index: 0, ...named('read_file', '') },
      { index: 0, ...more('{"path":') },
      { index: 0, ...more('"a.ts"}') },
      { index: 0, ...named('read_file', '') },
      { index: 0, ...more('{"path":"b') },
      { index: 0, ...more('.ts"}') },
      { index: 0, ...named('list_files', '') },
      { index: 0, ...more('{}') },
    ),
    calls: [A, B, ['list_files', {}]],
  },
  {
    name: 'index 0 for all calls, with ids',
    source: 'ai-dynamo/dynamo PR#4723, ollama/ollama#15457, vercel/ai PR#14277',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', A_TEXT) },
      { index: 0, id: 'c2', ...named('read_file', B_TEXT) },
    ),
    calls: [A, B],
  },
  {
    name: 'index 0, an id for each call, and an empty one with its pieces',
    source: 'InternLM/lmdeploy#3412',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '') },
      { index: 0, id: '', ...more(A_TEXT) },
      { index: 0, id: 'c2', ...named('read_file', '') },
      { index: 0, id: '', ...more(B_TEXT) },
    ),
    calls: [A, B],
  },
  {
    name: 'one id for two calls of one index',
    source: 'skye-harris/hass_local_openai_llm PR#92',
    body: closed(
      { index: 0, id: 'call_x', ...named('read_file', A_TEXT) },
      { index: 0, id: 'call_x', ...named('list_files', '{}') },
    ),
    calls: [A, ['list_files', {}]],
  },
  {
    name: 'one id for two calls of two indexes',
    source: 'vercel/ai PR#14277',
    body: closed(
      { index: 0, id: 'call_x', ...named('read_file', A_TEXT) },
      { index: 1, id: 'call_x', ...named('read_file', B_TEXT) },
    ),
    calls: [A, B],
  },
  {
    name: 'arguments resent whole, longer with each piece',
    source: 'NousResearch/hermes-agent PR#35718, VicBilibily/GCMP PR#196',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '{"pa') },
      { index: 0, ...more('{"path":"a') },
      { index: 0, ...more(A_TEXT) },
      { index: 0, ...more(A_TEXT) },
    ),
    calls: [A],
  },
  {
    name: 'arguments resent whole behind their pieces',
    source: 'lidge-jun/opencodex#361, anomalyco/opencode PR#17339',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '') },
      { index: 0, ...more('{"path":') },
      { index: 0, ...more('"a.ts"}') },
      { index: 0, ...more(A_TEXT) },
    ),
    calls: [A],
  },
  {
    name: 'name and arguments resent whole for each of two calls',
    source: 'decolua/9router#2869, elizaOS/eliza#16973',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '{"path"') },
      { index: 0, id: 'c1', ...named('read_file', A_TEXT) },
      { index: 1, id: 'c2', ...named('read_file', '{"path":"b.') },
      { index: 1, id: 'c2', ...named('read_file', B_TEXT) },
      { index: 0, id: 'c1', ...named('read_file', A_TEXT) },
    ),
    calls: [A, B],
  },
  {
    name: 'pieces that repeat what stands in the arguments',
    source: 'mcowger/plexus PR#759',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '{"path":"') },
      { index: 0, ...more('{}') },
      { index: 0, ...more('{}') },
      { index: 0, ...more('"}') },
    ),
    calls: [['read_file', { path: '{}{}' }]],
  },
  {
    name: 'a name in two pieces',
    source: 'openclaw/openclaw PR#130532, continuedev/continue#5849',
    body: closed(
      { index: 0, id: 'c1', ...named('read_', '') },
      { index: 0, id: 'c1', ...named('file', '') },
      { index: 0, ...more(A_TEXT) },
    ),
    calls: [A],
  },
  {
    name: 'a name that grows',
    source: 'openclaw/openclaw PR#130537',
    body: closed(
      { index: 0, id: 'c1', ...named('read', '') },
      { index: 0, id: 'c1', ...named('read_file', A_TEXT) },
    ),
    calls: [A],
  },
  {
    name: 'a name with every piece, the last of them empty',
    source: 'NousResearch/hermes-agent#8259',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '') },
      { index: 0, id: 'c1', ...named('read_file', A_TEXT) },
      { index: 0, id: 'c1', ...named('read_file', '') },
    ),
    calls: [A],
  },
  {
    name: 'the channel of gpt-oss behind the name',
    source: 'ollama/ollama#11704',
    body: closed({ index: 0, id: 'c1', ...named('read_file<|channel|>commentary', A_TEXT) }),
    calls: [A],
  },
  {
    name: 'arguments that are no JSON: they stay as they are',
    source: 'NousResearch/hermes-agent PR#35718',
    body: closed(
      { index: 0, id: 'c1', ...named('read_file', '{"path":"a.ts"') },
      { index: 0, ...more('{"path":"b.ts"') },
    ),
    calls: [['read_file', { fault: true }]],
  },
];

const OF_ENDS: readonly StreamShape[] = [
  {
    name: 'a whole call, usage and the end mark, but no finish reason',
    source: 'earendil-works/pi PR#6225, #6226, CherryHQ/cherry-studio#19793',
    body: pieces({ index: 0, id: 'c1', ...named('read_file', A_TEXT) }) + USAGE + DONE,
    calls: [A],
  },
  {
    name: 'a whole call and the end mark alone',
    source: 'openclaw/openclaw PR#98575',
    body: pieces({ index: 0, id: 'c1', ...named('read_file', A_TEXT) }) + DONE,
    calls: [A],
  },
  {
    name: 'a whole call, and then nothing',
    source: 'earendil-works/pi PR#6225 (NVIDIA NIM)',
    body: pieces({ index: 0, id: 'c1', ...named('read_file', A_TEXT) }),
    calls: [A],
  },
  {
    name: 'a text, usage and the end mark, but no finish reason',
    source: 'openclaw/openclaw PR#98575',
    body: chunk({ content: 'Hello.' }) + USAGE + DONE,
    text: 'Hello.',
  },
];

const OF_UNREADABLE: readonly StreamShape[] = [
  [
    'a call in the middle of a text',
    'The model produced output that does not match the expected peg-native format',
  ],
  [
    'arguments that are no JSON',
    'Failed to parse tool call arguments as JSON: syntax error at column 131',
  ],
].map(([what, message]) => ({
  name: `an error, because the server could not read ${what}: nothing was said`,
  source:
    'ggml-org/llama.cpp#27025, #27733, vxcontrol/pentagi#313; seen with llama-server 0.4.0-dev',
  body:
    chunk({ content: 'I look' }) + event({ error: { code: 500, message, type: 'server_error' } }),
  text: '',
}));

const TEXT_END = chunk({ content: 'Hello.' }) + chunk({}, 'stop') + DONE;

const OF_EVENTS: readonly StreamShape[] = [
  ...[
    ['empty data', 'netease-lcap/wave-agent PR#1326', 'data:\n\n'],
    ['empty data behind a blank', 'openclaw/openclaw#52679', 'data: \n\n'],
    ['null', 'theopenco/llmgateway#2334', 'data: null\n\n'],
    ['a comment', 'openrouter.ai/docs (": OPENROUTER PROCESSING")', ': PROCESSING\n\n'],
    ['an event without data', 'anthropics/anthropic-sdk-typescript PR#903', 'event: ping\n\n'],
    ['an event with an empty object', 'diegosouzapw/OmniRoute#8744', 'event: ping\ndata: {}\n\n'],
    [
      'a typed object',
      'Prism-Shadow/agenthub PR#174',
      'data: {"type":"keepalive","sequence_number":3}\n\n',
    ],
    ['a word', 'aaif-goose/goose PR#11816', 'event: ping\ndata: ping\n\n'],
    ['a time', 'PawanOsman/OpenCursor PR#78', 'data: 2024-04-07 20:20:50.554328\n\n'],
  ].map(([what, source, heartbeat]) => ({
    name: `a heartbeat: ${what}`,
    source: source ?? '',
    body: `${heartbeat}${chunk({ content: '' })}${heartbeat}${TEXT_END}`,
    text: 'Hello.',
  })),
  {
    name: 'events with one line end between them',
    source: 'no report: what a proxy makes of a stream if it joins its lines',
    body: TEXT_END.replaceAll('\n\n', '\n'),
    text: 'Hello.',
  },
  {
    name: 'a stream that calls itself JSON',
    source: 'openclaw/openclaw PR#97454',
    contentType: 'application/json',
    body: TEXT_END,
    text: 'Hello.',
  },
  {
    name: 'a stream that calls itself text',
    source: '54xzh/FLIT#71',
    contentType: 'text/plain; charset=utf-8',
    body: TEXT_END,
    text: 'Hello.',
  },
  {
    name: 'a whole reply as JSON',
    source: 'openclaw/openclaw#96497',
    contentType: 'application/json',
    body: JSON.stringify({
      object: 'chat.completion',
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', ...named('read_file', A_TEXT) }],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 9, completion_tokens: 4 },
    }),
    calls: [A],
  },
];

export const STREAM_SHAPES: readonly StreamShape[] = [
  ...OF_CALLS,
  ...OF_ENDS,
  ...OF_UNREADABLE,
  ...OF_EVENTS,
];

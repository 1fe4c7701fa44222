// Servers that want something of the messages that they are sent, and what each says.
import { assistants, idsIn, keywordsIn, type Fields } from './family-shapes.ts';

/** What a server says to a request; `undefined` if it answers. */
type Check = (body: Fields) => { readonly status: number; readonly said: string } | undefined;

export interface WishFamily {
  readonly name: string;
  /** Where its words were reported. */
  readonly source: string;
  readonly wire: 'chat' | 'anthropic';
  readonly check: Check;
  /** An id that it gives a call. */
  readonly id: string;
  /** What it sends of a reply beside text and calls. */
  readonly extra: object;
}

export const fails = (said: string, status = 400) => ({ status, said });

export const WISH_FAMILIES: readonly WishFamily[] = [
  {
    name: 'OpenAI',
    source: 'openai',
    wire: 'chat',
    check: () => undefined,
    id: 'call_PTLP8xhu3uwZk4l3nlnrrJha',
    extra: {},
  },
  {
    name: 'DeepSeek V4',
    source: 'openclaw/openclaw#73417, JohnnyZ93/oai-compatible-copilot#215',
    wire: 'chat',
    check: (body) =>
      assistants(body).every(({ reasoning_content: given }) => Boolean(given))
        ? undefined
        : fails('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    id: 'call_00_9nLfpIQ6VO1JCaEsJcU8WZnS',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'DeepSeek, before V4',
    source: 'abhigyanpatwari/GitNexus#43',
    wire: 'chat',
    check: (body) =>
      assistants(body).every((message) => 'reasoning_content' in message)
        ? undefined
        : fails('Missing `reasoning_content` field in the assistant message at message index 2.'),
    id: 'call_00_abc',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'Kimi',
    source: 'anomalyco/opencode#10996, agentscope-ai/QwenPaw#433',
    wire: 'chat',
    check: (body) =>
      assistants(body).every((one) => one['tool_calls'] === undefined || one['reasoning_content'])
        ? undefined
        : fails(
            'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
          ),
    id: 'functions.read_file:0',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'Mistral',
    source: 'zed-industries/zed#37021, nearai/ironclaw#1241',
    wire: 'chat',
    check: (body) => {
      const roles = body['messages'].map(({ role }: Fields) => role).join(' ');
      if (roles.includes('tool user')) return fails("Unexpected role 'user' after role 'tool'");
      const wrong = idsIn(body).find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
      if (wrong === undefined) return undefined;
      return fails(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`);
    },
    id: 'D681PevKs',
    extra: {},
  },
  {
    name: 'Mistral on oMLX',
    source: 'jundot/omlx#1997',
    wire: 'chat',
    check: ({ messages }) => {
      const wrong = messages.find(
        (one: Fields) => one['tool_call_id'] && one['tool_call_id'].length !== 9,
      );
      if (wrong === undefined) return undefined;
      const said = `Tool call id was ${wrong['tool_call_id']} but must be a-z, A-Z, 0-9, with a length of 9`;
      return fails(said, 500);
    },
    id: 'call_49c89af0',
    extra: {},
  },
  {
    name: 'llama.cpp',
    source: 'ggml-org/llama.cpp#25895, #26596',
    wire: 'chat',
    check: ({ tools = [] }) =>
      keywordsIn(tools).some((name) => ['pattern', 'maxLength', 'format'].includes(name))
        ? fails('Failed to initialize samplers: failed to parse grammar')
        : undefined,
    id: 'AbC123',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'DeepSeek by the Messages API',
    source: 'NousResearch/hermes-agent PR#17510, decolua/9router#2397',
    wire: 'anthropic',
    check: (body) =>
      assistants(body).every(({ content }) => content[0].type === 'thinking')
        ? undefined
        : fails('The `content[].thinking` in the thinking mode must be passed back to the API.'),
    id: 'call_00_xyz',
    extra: { thinking: { type: 'thinking', thinking: 'The file comes first.', signature: '' } },
  },
  {
    name: 'Kimi by the Messages API',
    source: 'VicBilibily/GCMP#162',
    wire: 'anthropic',
    check: (body) =>
      assistants(body).every(({ content }) => content[0].type === 'thinking')
        ? undefined
        : fails(
            'thinking is enabled but reasoning_content is missing in assistant tool call message at index 12',
          ),
    id: 'tool_OEUd',
    extra: { thinking: { type: 'thinking', thinking: 'The file comes first.', signature: '' } },
  },
  {
    name: 'Anthropic',
    source: 'anthropic',
    wire: 'anthropic',
    check: ({ messages }) =>
      messages.some(({ content }: Fields) =>
        content.some((block: Fields) => block['type'] === 'thinking' && !block['signature']),
      )
        ? fails('messages.1.content.0.thinking.signature: Field required')
        : undefined,
    id: 'toolu_01A',
    extra: { thinking: { type: 'thinking', thinking: 'The file comes first.', signature: 'c2ln' } },
  },
];

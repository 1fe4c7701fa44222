// Families of model servers, as stub servers: what each sends, what it takes, and in which words it rejects the rest. The bytes and
// words are ours, written after the reports that stand beside them.
import { chat } from '../../packages/local-github/src/model/wires/chat.ts';
import { gemini } from '../../packages/local-github/src/model/wires/gemini.ts';
import { messages } from '../../packages/local-github/src/model/wires/messages.ts';
import { ollama } from '../../packages/local-github/src/model/wires/ollama.ts';
import { responses } from '../../packages/local-github/src/model/wires/responses.ts';
import {
  assistants,
  behindFirst,
  chunkOf,
  idsIn,
  keywordsIn,
  openAI,
  said,
  withArgumentsAgain,
  withChunks,
  withNewIds,
  withoutIds,
} from './family-shapes.ts';
import type { Chunk, Family, Fields, Rejection } from './family-shapes.ts';

const WINDOW = 32_768;

const vllmTooLong = (tokens: number, limit: number, output = 4_000): Rejection => {
  const message = `This model's maximum context length is ${limit} tokens. However, you requested ${output} output tokens and your prompt contains at least ${tokens} input tokens, for a total of at least ${tokens + output} tokens.`;
  const error = { message, type: 'BadRequestError', param: 'input_tokens', code: 400 };
  return { status: 400, body: { error } };
};

const REASONING = { reasoning_content: 'The file comes first.' };

const VENDORS: readonly Family[] = [
  {
    name: 'OpenAI, Chat Completions',
    source: 'openai/openai-node: openai-openapi',
    wire: chat,
    model: 'openai:stub-openai',
    variables: openAI,
    rejects: ({ max_tokens: limit }) =>
      limit === undefined
        ? undefined
        : said(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            { param: 'max_tokens', code: 'unsupported_parameter' },
          ),
    tooLong: (tokens, limit) =>
      said(
        `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        { param: 'messages', code: 'context_length_exceeded' },
      ),
    learnt: ['leaves out `max_tokens`'],
  },
  {
    name: 'OpenAI, Responses',
    source: 'openai/openai-node: openai-openapi',
    wire: responses,
    model: 'openai:stub-responses',
    variables: (url) => ({ ...openAI(url), OPENAI_API: 'responses' }),
    learnt: [],
  },
  {
    name: 'Anthropic',
    source: 'anthropics/anthropic-sdk-typescript',
    wire: messages,
    model: 'anthropic:stub-anthropic',
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    rejects: ({ messages: all }) =>
      all.some(
        ({ content }: Fields) =>
          Array.isArray(content) &&
          content.some((block: Fields) => block['type'] === 'thinking' && !block['signature']),
      )
        ? { status: 400, message: 'messages.1.content.0.thinking.signature: Field required' }
        : undefined,
    learnt: [],
  },
  {
    name: 'Gemini',
    source: 'googleapis/js-genai',
    wire: gemini,
    model: 'gemini:stub-gemini',
    variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none' }),
    rejects: ({ generationConfig: config }) =>
      config?.thinkingConfig === undefined
        ? undefined
        : { status: 400, message: 'Thinking is not enabled for models/stub-gemini' },
    learnt: ['leaves out `thinkingConfig`'],
  },
  {
    name: 'Ollama',
    source: 'ollama/ollama: docs/api.md',
    wire: ollama,
    model: 'ollama:stub-ollama',
    variables: (url) => ({ OLLAMA_BASE_URL: url }),
    learnt: [],
  },
];

const COMPATIBLE: readonly Family[] = [
  {
    name: 'vLLM',
    source: 'vllm-project/vllm#18412, #42474',
    wire: chat,
    model: 'openai:stub-vllm',
    variables: openAI,
    // What is asked for counts, not what is written.
    rejects: (body) => {
      const input = Math.ceil(JSON.stringify(body).length / 4);
      return input + body['max_tokens'] > WINDOW
        ? vllmTooLong(input, WINDOW, body['max_tokens'])
        : undefined;
    },
    sends: withChunks((chunk) => [withoutIds(chunk)]),
    tooLong: vllmTooLong,
    learnt: [],
  },
  {
    name: 'llama.cpp',
    source: 'ggml-org/llama.cpp#25895',
    wire: chat,
    model: 'openai:stub-llamacpp',
    variables: openAI,
    rejects: ({ tools = [] }) =>
      keywordsIn(tools).some((name) => ['pattern', 'maxLength', 'format'].includes(name))
        ? said('Failed to initialize samplers: failed to parse grammar', { code: 400 })
        : undefined,
    tooLong: (tokens, limit) =>
      said(
        `request (${tokens} tokens) exceeds the available context size (${limit} tokens), try increasing it`,
        { type: 'exceed_context_size_error', code: 400, n_prompt_tokens: tokens, n_ctx: limit },
      ),
    learnt: [],
  },
  {
    name: 'LM Studio',
    source: 'lmstudio-ai/lmstudio-bug-tracker#649',
    wire: chat,
    model: 'openai:stub-lmstudio',
    variables: openAI,
    sends: (frames) =>
      withChunks(
        (() => {
          const renew = withNewIds();
          return (chunk: Chunk) => [renew(chunk)];
        })(),
      )(frames),
    tooLong: (tokens, limit) => ({
      status: 400,
      body: {
        error: `Trying to keep the first ${tokens} tokens when context the overflows. However, the model is loaded with context length of only ${limit} tokens, which is not enough.`,
      },
    }),
    learnt: [],
  },
  {
    name: 'Mistral',
    source: 'zed-industries/zed#37021, nearai/ironclaw#1241, dnakov/anon-kode#53',
    wire: chat,
    model: 'openai:stub-mistral',
    variables: openAI,
    rejects: (body) => {
      const mistral = (message: unknown, code: string | null, status = 400): Rejection => ({
        status,
        body: { object: 'error', message, type: 'invalid_request_error', param: null, code },
      });
      if (body['stream_options'] !== undefined) {
        const loc = ['body', 'stream_options'];
        const one = { type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted' };
        return mistral({ detail: [one] }, null, 422);
      }
      const roles = body['messages'].map(({ role }: Fields) => role).join(' ');
      if (roles.includes('tool user'))
        return mistral("Unexpected role 'user' after role 'tool'", '3230');
      const wrong = idsIn(body).find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
      return wrong === undefined
        ? undefined
        : mistral(
            `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`,
            '3280',
          );
    },
    reads: (body) => ({
      ...body,
      messages: body['messages'].filter(
        ({ role, content }: Fields) =>
          role !== 'assistant' || content !== 'I have read the results.',
      ),
    }),
    // The last chunk has the usage, unasked.
    sends: withChunks((chunk) =>
      chunk.choices?.[0]?.['finish_reason']
        ? [{ ...chunk, usage: { prompt_tokens: 1000, completion_tokens: 20 } }]
        : [chunk],
    ),
    tooLong: (tokens, limit) => ({
      status: 400,
      body: {
        object: 'error',
        message: `Prompt contains ${tokens} tokens and 0 draft tokens, too large for model with ${limit} maximum context length`,
        type: 'invalid_request_prompt',
        param: null,
        code: '3051',
      },
    }),
    learnt: [
      'leaves out `stream_options`',
      'sends ids of nine letters and digits',
      'sends a reply between results and the next message',
    ],
  },
  {
    name: 'DeepSeek',
    source: 'openclaw/openclaw#73417, evalstate/fast-agent#621',
    wire: chat,
    model: 'openai:stub-deepseek',
    variables: openAI,
    rejects: (body) =>
      assistants(body).every(({ reasoning_content: given }) => Boolean(given))
        ? undefined
        : said('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    sends: (frames) => withChunks(behindFirst(chunkOf(REASONING)))(frames),
    tooLong: (tokens, limit) =>
      said(
        `This model's maximum context length is ${limit} tokens. However, you requested ${tokens} tokens (${tokens} in the messages, 0 in the completion). Please reduce the length of the messages or completion.`,
      ),
    learnt: ['sends reasoning of every reply'],
  },
  {
    name: 'Kimi',
    source: 'MoonshotAI/kimi-cli#2141, anomalyco/opencode#10996',
    wire: chat,
    model: 'openai:stub-kimi',
    variables: openAI,
    rejects: (body) =>
      assistants(body).every((one) => one['tool_calls'] === undefined || one['reasoning_content'])
        ? undefined
        : said(
            'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
          ),
    // Usage is in the choice.
    sends: (frames) => {
      const first = behindFirst(chunkOf(REASONING));
      return withChunks((chunk) => {
        const { usage, choices = [] } = chunk;
        if (!usage || choices.length > 0) return first(chunk);
        return [{ ...chunk, usage: undefined, choices: [{ index: 0, delta: {}, usage }] }];
      })(frames);
    },
    tooLong: (_tokens, limit) =>
      said(`Invalid request: Your request exceeded model token limit: ${limit}`),
    learnt: ['sends reasoning of every reply'],
  },
  {
    name: 'LiteLLM',
    source: 'BerriAI/litellm#21331, google/adk-python#5437',
    wire: chat,
    model: 'openai:stub-litellm',
    variables: openAI,
    // Thinking that was signed has to come back as it was.
    rejects: (body) =>
      assistants(body).every(({ thinking_blocks: blocks = [] }) =>
        blocks.every((block: Fields) => block['thinking'] === 'The file comes first.'),
      )
        ? undefined
        : said('litellm.BadRequestError: thinking blocks cannot be modified'),
    sends: (frames) => {
      const piece = (thinking: string, signature: string | null): object =>
        chunkOf({ thinking_blocks: [{ type: 'thinking', thinking, signature }] });
      const first = behindFirst(
        piece('The file ', null),
        piece('comes first.', null),
        piece('', 'c2ln'),
      );
      return withChunks((chunk) => first(withoutIds(chunk) as Chunk))(frames);
    },
    tooLong: () => said('litellm.ContextWindowExceededError: litellm.BadRequestError'),
    learnt: [],
  },
  {
    name: 'MiniMax',
    source: 'MiniMax-AI/MiniMax-M2#119, MiniMax-AI/MiniMax-M2.5#2, decolua/9router#2231',
    wire: chat,
    model: 'openai:stub-minimax',
    variables: openAI,
    sends: (frames) => {
      const again = withArgumentsAgain();
      const first = behindFirst(
        chunkOf({ role: '', content: '<think>The file comes first.</think>' }),
      );
      return withChunks((chunk) => first(again(chunk) as Chunk))(frames);
    },
    tooLong: () => said('invalid params, context window exceeds limit (2013)'),
    learnt: [],
  },
  {
    name: 'DeepSeek, Messages API',
    source: 'NousResearch/hermes-agent PR#17510, esengine/DeepSeek-Reasonix PR#8756',
    wire: messages,
    model: 'anthropic:stub-compatible',
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    rejects: (body) =>
      assistants(body).every(({ content }) => content[0].type === 'thinking')
        ? undefined
        : said('The `content[].thinking` in the thinking mode must be passed back to the API.'),
    // Without names of events, and without the last one.
    sends: (frames) => frames.slice(0, -1).map((frame) => frame.replace(/^event: .*\n/, '')),
    learnt: ['sends thinking of every reply'],
  },
  {
    name: 'OpenRouter',
    source: 'openrouter.ai/docs, OpenRouterTeam/openrouter-examples#10',
    wire: chat,
    model: 'openai:stub-openrouter',
    variables: openAI,
    sends: (frames) => {
      const part = { type: 'reasoning.text', text: 'The file comes first.', index: 0 };
      const reasoning = chunkOf({ reasoning: part.text, reasoning_details: [part] });
      const changed = withChunks(behindFirst(reasoning))(frames);
      return changed.flatMap((frame) => [': OPENROUTER PROCESSING\n\n', frame]);
    },
    tooLong: (tokens, limit) =>
      said(
        `This endpoint's maximum context length is ${limit} tokens. However, you requested about ${tokens} tokens (${tokens} of text input). Please reduce the length of either one.`,
        { code: 400 },
      ),
    learnt: [],
  },
];

export const FAMILIES: readonly Family[] = [...VENDORS, ...COMPATIBLE];

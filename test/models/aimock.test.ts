// The probes against a mock that others wrote and compare with the real APIs every day: what they believe, not what we do.
import { LLMock, type ChatCompletionRequest, type ChatMessage } from '@copilotkit/aimock';
import { afterEach, describe, expect, it } from '@jest/globals';
import { probeModel, PROBE_NAMES, type ProbeRow } from '../../src/commands/doctor/model-probes.ts';
import type { Message } from '../../src/contracts/model.ts';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import { obey } from './obedient-model.ts';

let mock: LLMock | undefined;
afterEach(() => mock?.stop());

const textOf = ({ content }: ChatMessage): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text ?? '').join('\n');

const asMessage = (message: ChatMessage): Message =>
  message.role === 'assistant'
    ? { role: 'assistant', text: textOf(message), calls: [], native: null }
    : { role: 'user', text: textOf(message) };

/** Its model does what is asked. The mock reads the requests of all APIs, and writes their replies. */
function answer(request: ChatCompletionRequest) {
  const { text = '', calls = [], isCut = false } = obey(request.messages.map(asMessage), request);
  if (calls.length === 0) return { content: text, ...(isCut ? { finishReason: 'length' } : {}) };
  return {
    toolCalls: calls.map(({ tool, given }) => ({ name: tool, arguments: JSON.stringify(given) })),
  };
}

/** What it does not play: it counts no tokens unless it is told how many, and ends no reply of Ollama at its limit. */
const UNCOUNTED = 'usage';

const SETUPS: readonly {
  readonly api: string;
  readonly model: string;
  readonly variables: (url: string) => object;
  readonly odd: readonly string[];
}[] = [
  {
    api: 'Chat Completions',
    model: 'openai:gpt-5.4',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    odd: [],
  },
  {
    api: 'Responses',
    model: 'openai:gpt-5.4',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API: 'responses' }),
    odd: [UNCOUNTED],
  },
  {
    api: 'Messages',
    model: 'anthropic:claude-sonnet-5',
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }),
    odd: [UNCOUNTED],
  },
  {
    api: 'Gemini',
    model: 'gemini:gemini-2.5-pro',
    variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none' }),
    odd: [UNCOUNTED],
  },
  {
    api: 'Ollama',
    model: 'ollama:qwen3',
    variables: (url) => ({ OLLAMA_BASE_URL: url }),
    odd: ['cut', UNCOUNTED],
  },
  {
    api: 'Azure',
    model: 'azure:gpt-5.4',
    variables: (url) => ({ AZURE_OPENAI_ENDPOINT: url, AZURE_OPENAI_API_KEY: 'none' }),
    odd: [UNCOUNTED],
  },
  {
    api: 'Azure, Chat Completions',
    model: 'azure:gpt-5.4',
    variables: (url) => ({
      AZURE_OPENAI_ENDPOINT: url,
      AZURE_OPENAI_API_KEY: 'none',
      AZURE_OPENAI_API: 'chat',
    }),
    odd: [],
  },
  {
    api: 'OpenRouter',
    model: 'openai:openai/gpt-5.4',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/api/v1` }),
    // It is no model of the price list.
    odd: [UNCOUNTED, 'window'],
  },
];

describe('aimock', () => {
  it.each(SETUPS)('answers all probes as $api', async ({ model: name, variables, odd }) => {
    mock = new LLMock({ port: 0 }).on({ predicate: () => true }, answer);
    await mock.start();
    const provider = PROVIDERS.find((one) => name.startsWith(`${one.name}:`))!;
    const settings = provider.variables.parse(variables(mock.url));
    const model = await openModel(name, new Map([[provider.name, settings]]));
    const rows: ProbeRow[] = [];
    for await (const row of probeModel(model, { protocol: 'auto', outputTokens: 32_000 }))
      rows.push(row);
    expect(rows.map(({ probe }) => probe)).toEqual(PROBE_NAMES);
    expect(rows.filter(({ state }) => state !== 'ok').map(({ probe }) => probe)).toEqual(odd);
    expect(model.learnt?.() ?? []).toEqual([]);
  });
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import { windowInList, windowInRejection } from '../../src/models/wire/server-fault.ts';

describe('the window in a rejection', () => {
  it.each([
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7000 in the messages, 2000 in the completion).",
      8192,
    ],
    [
      "This model's maximum context length is 8192 tokens. However, you requested 36000 tokens (4000 in the messages, 32000 in the completion).",
      8192,
    ],
    [
      "'max_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 2000 input tokens (32000 > 8192 - 2000).",
      8192,
    ],
    ['prompt is too long: 210000 tokens > 200000 maximum', 200_000],
    [
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      1_048_576,
    ],
    [
      'the request exceeds the available context size (4096 tokens), try increasing it: request has 5120',
      4096,
    ],
    [
      'Prompt contains 40,000 tokens and 0 draft tokens, too large for model with 32,768 maximum context length',
      32_768,
    ],
    [
      'Request too large for gpt-4o-2024-08-06 on tokens per min (TPM): Limit 30000, Requested 31250.',
      30_000,
    ],
    [
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
      4096,
    ],
    ['Range of input length should be [1, 30720]', 30_720],
    ['input length exceeds the context length', undefined],
  ])('is not what was requested: %s', (words, window) => {
    expect(windowInRejection(words)).toBe(window);
  });
});

const LIST = (fields: object) => ({
  data: [{ id: 'other', max_model_len: 2048 }, { id: 'own', ...fields }, 'odd'],
});

describe("a model's window in its server's list", () => {
  it.each([
    [{ max_model_len: 8192 }, 8192],
    [{ context_length: 131_072 }, 131_072],
    [{ context_window: 8192 }, 8192],
    [{ max_context_length: 32_768 }, 32_768],
    [{ max_model_len: 'many' }, undefined],
    [{ max_model_len: -1 }, undefined],
    [{}, undefined],
  ])('is read from %j', (fields, window) => {
    expect(windowInList(LIST(fields), 'own')).toBe(window);
  });

  it.each([null, [], { data: {} }, { data: [null] }])('is unknown by %j', (list) => {
    expect(windowInList(list, 'own')).toBeUndefined();
  });
});

describe('a model of a server with the API of OpenAI', () => {
  let close = (): Promise<void> => Promise.resolve();
  afterEach(() => close());

  async function opened(answers: Readonly<Record<string, string>>, status = 200) {
    const asked: (string | undefined)[] = [];
    const server = createServer(({ url = '', headers }, response) => {
      asked.push(`${url} ${headers.authorization}`);
      response.writeHead(status, { location: '/elsewhere' }).end(answers[url] ?? '');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    close = () => new Promise((resolve) => void server.close(() => resolve()));
    const { port } = server.address() as AddressInfo;
    const provider = PROVIDERS.find(({ name }) => name === 'openai');
    const variables = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'key' };
    const settings = new Map([['openai', provider?.variables.parse(variables)]]);
    return { asked, model: await openModel('openai:own', settings) };
  }

  it('has the window that its list says', async () => {
    const { asked, model } = await opened({
      '/v1/models': JSON.stringify(LIST({ max_model_len: 8192 })),
    });
    expect(model.contextWindow).toBe(8192);
    expect(asked).toEqual(['/v1/models Bearer key']);
  });

  it.each([
    ['no JSON', 200],
    ['{}', 404],
    ['', 302],
    ['{}', 200],
  ])('is opened without one if the list does not say: %j, %i', async (answer, status) => {
    const { asked, model } = await opened({ '/v1/models': answer, '/props': answer }, status);
    expect(model.contextWindow).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('has the window that llama.cpp was started with, not the one that the model was trained with', async () => {
    const listed = LIST({ meta: { n_ctx_train: 131_072 } });
    const { asked, model } = await opened({
      '/v1/models': JSON.stringify(listed),
      '/props': JSON.stringify({ default_generation_settings: { n_ctx: 16_384 }, total_slots: 4 }),
    });
    expect(model.contextWindow).toBe(16_384);
    expect(asked).toEqual(['/v1/models Bearer key', '/props Bearer key']);
  });
});

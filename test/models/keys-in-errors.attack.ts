import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FixtureServer } from '../contract/fixture-server.ts';
import { openModel } from '../../src/models/index.ts';

const KEY = 'sk-test-Ab3dEf6hIj9kLmN0pQrStUvWxYz1234567890';
const JSON_TYPE = { 'content-type': 'application/json' };

const server = new FixtureServer();
beforeEach(() => server.start());
afterEach(() => server.stop());

/** What is thrown, with everything that a log writes of it. */
async function thrownBy(provider: string, variables: object): Promise<unknown> {
  const address = Object.entries(variables).map(([name, path]) => [
    name,
    server.url + String(path),
  ]);
  const key = { [`${provider.toUpperCase()}_API_KEY`]: KEY, OLLAMA_CONTEXT: 4096 };
  const own: Readonly<Record<string, unknown>> = { ...key, ...Object.fromEntries(address) };
  const model = await openModel(`${provider}:m`, new Map([[provider, own]]));
  const request = {
    system: '',
    messages: [{ role: 'user', text: 'Hello?' } as const],
    tools: [],
    maxOutputTokens: 10,
    cacheKey: 'k',
    signal: new AbortController().signal,
  };
  return model.reply(request).catch((error: unknown) => error);
}

function textsOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const { message, stack, cause } = thrown;
  return [message, stack, JSON.stringify(thrown), textsOf(cause)].join('\n');
}

const PROVIDERS = [
  ['openai', { OPENAI_BASE_URL: '/v1' }],
  ['anthropic', { ANTHROPIC_BASE_URL: '' }],
  ['gemini', { GOOGLE_GEMINI_BASE_URL: '' }],
  ['ollama', { OLLAMA_BASE_URL: '' }],
] as const;

describe.each(PROVIDERS)('an error of %s', (provider, variables) => {
  const bodyOf = (message: string, code?: string): string =>
    JSON.stringify({ error: provider === 'ollama' ? message : { message, code, type: code } });

  it.each([
    ['its beginning', KEY.slice(0, 20)],
    ['its end', `****${KEY.slice(-10)}`],
    ['its middle', KEY.slice(9, 30)],
    ['two halves', `${KEY.slice(0, 22)}\n${KEY.slice(22)}`],
    ['capital letters', KEY.toUpperCase()],
  ])('keeps nothing of a key that the server repeats: %s', async (_what, part) => {
    const body = bodyOf(`Incorrect key ${part}.`, part);
    server.willAnswer({ status: 400, headers: JSON_TYPE, body });
    const texts = textsOf(await thrownBy(provider, variables)).toLowerCase();
    expect(texts).toContain('incorrect key');
    for (let at = 0; at + 8 <= KEY.length; at++)
      expect(texts).not.toContain(KEY.toLowerCase().slice(at, at + 8));
  });

  it('stays short, whatever the server sends', async () => {
    const body = bodyOf('too much '.repeat(300_000));
    server.willAnswer({ status: 400, headers: JSON_TYPE, body });
    const thrown = await thrownBy(provider, variables);
    expect(textsOf(thrown).length).toBeLessThan(30_000);
    expect(String(thrown).length).toBeLessThan(1000);
  });
});

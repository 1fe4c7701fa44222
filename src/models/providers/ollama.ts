import { z } from 'zod';
import { address, hostOf, key, silence, type Provider } from '../provider.ts';
import { limitsFor } from '../wire/attempt-limits.ts';
import { ollamaEmbeddings } from '../wire/vectors.ts';

const variables = z.object({
  OLLAMA_BASE_URL: address.default('http://127.0.0.1:11434').describe('Address of the server'),
  OLLAMA_API_KEY: key
    .optional()
    .describe('Only for a proxy in front of the server; Ollama itself has no keys'),
  OLLAMA_CONTEXT: z.coerce
    .number('must be a number of tokens')
    .int('must be a whole number of tokens')
    .min(2048, 'must be at least 2048 tokens')
    .max(10_000_000, 'must be at most 10000000 tokens')
    .default(32_768)
    .describe(
      'Context window in tokens, for a request and its reply together; a larger one needs more memory',
    ),
  OLLAMA_SILENCE_MINUTES: silence('`30`'),
});

/** A small machine can read a long conversation for minutes before it writes the first word. */
const SILENCE_MINUTES = 30;

/** Such a model runs at ollama.com; the server only forwards the request. */
const isInCloud = (model: string): boolean => /[:-]cloud$/.test(model);

/** Models on the operator's own machine, through Ollama's own API. */
export const ollama: Provider<typeof variables> = {
  name: 'ollama',
  variables,
  secrets: ({ OLLAMA_API_KEY: own }) => (own === undefined ? [] : [own]),
  isFree: (model) => !isInCloud(model),
  destination: ({ OLLAMA_BASE_URL: url }, model) =>
    `Ollama (${hostOf(url)}${isInCloud(model) ? ', which forwards it to ollama.com' : ''})`,
  open: async (model, settings) => {
    const { OLLAMA_BASE_URL: baseUrl, OLLAMA_API_KEY: apiKey } = settings;
    const { ollamaAdapter, shownWindow } = await import('../ollama/ollama-adapter.ts');
    const limits = limitsFor(baseUrl, settings.OLLAMA_SILENCE_MINUTES ?? SILENCE_MINUTES);
    // Ollama itself gives a model no larger window than it was trained with (ollama/ollama#1971).
    const most = (await shownWindow(model, { baseUrl, apiKey })) ?? Infinity;
    const context = Math.min(settings.OLLAMA_CONTEXT, most);
    return ollamaAdapter(model, { baseUrl, apiKey, context, limits });
  },
  embeddings: async (model, { OLLAMA_BASE_URL: baseUrl, OLLAMA_API_KEY: apiKey }) =>
    ollamaEmbeddings(model, { baseUrl, apiKey }),
};

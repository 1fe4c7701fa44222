import { z } from 'zod';
import { hostOf, type Provider } from '../provider.ts';
import { address, key } from './variables.ts';

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
});

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
    const { OLLAMA_BASE_URL: baseUrl, OLLAMA_API_KEY: apiKey, OLLAMA_CONTEXT: context } = settings;
    const { ollamaAdapter } = await import('../ollama/ollama-adapter.ts');
    return ollamaAdapter(model, { baseUrl, apiKey, context });
  },
  embeddings: async (model, { OLLAMA_BASE_URL: baseUrl, OLLAMA_API_KEY: apiKey }) => {
    const { ollamaEmbeddings } = await import('../embeddings/ollama-embeddings.ts');
    return ollamaEmbeddings(model, { baseUrl, apiKey });
  },
};

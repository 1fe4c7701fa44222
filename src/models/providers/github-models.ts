import { z } from 'zod';
import type { OpenAIEndpoint } from '../openai/openai-server.ts';
import { openEmbeddings, openOpenAI } from '../openai/wire.ts';
import { address, hostOf, key, providerKey, type Provider } from '../provider.ts';

const variables = z
  .object({
    GITHUB_MODELS_TOKEN: z
      .string(
        'missing. Create a token with the permission "Models: read" at https://github.com/settings/personal-access-tokens',
      )
      .pipe(key)
      .describe('A token with the permission *Models: read*'),
    GITHUB_MODELS_BASE_URL: address
      .default('https://models.github.ai/inference')
      .describe('Set to `https://models.github.ai/orgs/ORG/inference` to bill an organization'),
  })
  .superRefine(providerKey('GitHub', 'GITHUB_MODELS_TOKEN'));

/** GitHub Models: names are `gh:PUBLISHER/MODEL`. */
export const githubModels: Provider<typeof variables> = {
  name: 'gh',
  variables,
  secrets: ({ GITHUB_MODELS_TOKEN: token }) => [token],
  destination: ({ GITHUB_MODELS_BASE_URL: url }) => `GitHub Models (${hostOf(url)})`,
  open: (model, settings) => openOpenAI('chat', endpointOf(model, settings)),
  embeddings: (model, settings) => openEmbeddings(endpointOf(model, settings)),
};

const endpointOf = (model: string, settings: z.output<typeof variables>): OpenAIEndpoint => ({
  model,
  baseUrl: settings.GITHUB_MODELS_BASE_URL,
  headers: { authorization: `Bearer ${settings.GITHUB_MODELS_TOKEN}` },
  isOpenAI: false,
  addressSetting: 'GITHUB_MODELS_BASE_URL',
});

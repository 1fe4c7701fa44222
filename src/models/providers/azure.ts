import { z } from 'zod';
import type { OpenAIEndpoint } from '../openai/openai-server.ts';
import { openEmbeddings, openOpenAI } from '../openai/wire.ts';
import { address, hostOf, key, providerKey, type Provider, wire } from '../provider.ts';

const PLACE = 'on the page "Keys and Endpoint" of your resource in the Azure portal';

const variables = z
  .object({
    AZURE_OPENAI_ENDPOINT: z
      .string(`missing. It is ${PLACE}`)
      .pipe(address)
      .describe('Address of your resource'),
    AZURE_OPENAI_API_KEY: z.string(`missing. It is ${PLACE}`).pipe(key).describe('API key'),
    AZURE_OPENAI_API: wire.default('responses').describe('`responses` or `chat`'),
  })
  .superRefine(providerKey('Azure OpenAI', 'AZURE_OPENAI_API_KEY'));

/** Azure OpenAI's v1 API. Model names are the deployments of the resource. */
export const azure: Provider<typeof variables> = {
  name: 'azure',
  variables,
  secrets: ({ AZURE_OPENAI_API_KEY: own }) => [own],
  destination: ({ AZURE_OPENAI_ENDPOINT: url }) => `Azure OpenAI (${hostOf(url)})`,
  open: (model, settings) => openOpenAI(settings.AZURE_OPENAI_API, endpointOf(model, settings)),
  embeddings: (model, settings) => openEmbeddings(endpointOf(model, settings)),
};

const endpointOf = (model: string, settings: z.output<typeof variables>): OpenAIEndpoint => ({
  model,
  // People copy the address with or without the API's path.
  baseUrl: `${settings.AZURE_OPENAI_ENDPOINT.replace(/\/openai(\/v1)?$/, '')}/openai/v1`,
  headers: { 'api-key': settings.AZURE_OPENAI_API_KEY },
  isOpenAI: true,
  addressSetting: 'AZURE_OPENAI_ENDPOINT',
});

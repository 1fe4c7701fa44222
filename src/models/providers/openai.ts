import { z } from 'zod';
import type { OpenAIEndpoint } from '../openai/openai-server.ts';
import { limitsFor } from '../wire/attempt-limits.ts';
import { type OpenAIWire, openEmbeddings, openOpenAI } from '../openai/wire.ts';
import {
  address,
  headers,
  hostOf,
  key,
  providerKey,
  silence,
  type Provider,
  wire,
} from '../provider.ts';

const OWN_ADDRESS = 'https://api.openai.com/v1';
/** Also in a region: `https://eu.api.openai.com/v1`. */
const OWN_ADDRESSES = /^https:\/\/(?:[a-z]{2}\.)?api\.openai\.com\/v1$/;
const NOT_ITS_API = `is not the address of OpenAI's API, which is \`${OWN_ADDRESS}\`. Correct it, or remove OPENAI_BASE_URL`;

const variables = z
  .object({
    OPENAI_API_KEY: key.optional().meta({
      unset: 'required without `OPENAI_BASE_URL`',
      description: 'API key',
    }),
    OPENAI_BASE_URL: address.optional().meta({
      unset: "OpenAI's",
      description:
        'Any server with the Chat Completions or Responses API; the address usually ends in `/v1`',
    }),
    OPENAI_API: wire.optional().meta({
      unset: "`responses` for OpenAI's own server, otherwise `chat`",
      description: '`responses` or `chat`',
    }),
    OPENAI_HEADERS: headers
      .optional()
      .describe(
        'Further headers for every request, as a JSON object, such as those by which a [gateway](models.md#bedrock-vertex-and-others-behind-a-gateway) knows the provider',
      ),
    OPENAI_SILENCE_MINUTES: silence(),
  })
  .refine(({ OPENAI_API_KEY: own, OPENAI_BASE_URL: url }) => (own ?? url) !== undefined, {
    path: ['OPENAI_API_KEY'],
    error:
      'missing. Create one at https://platform.openai.com/api-keys, or set OPENAI_BASE_URL to your own server',
  })
  .superRefine((values, context) => {
    const { OPENAI_BASE_URL: url = OWN_ADDRESS } = values;
    if (!isOpenAIs(url)) return;
    providerKey('OpenAI', 'OPENAI_API_KEY')(values, context);
    if (!OWN_ADDRESSES.test(url))
      context.addIssue({ code: 'custom', path: ['OPENAI_BASE_URL'], message: NOT_ITS_API });
  });

const isOpenAIs = (url: string): boolean =>
  /(^|\.)(?:openai|chatgpt)\.com$/.test(URL.parse(url)?.hostname ?? '');

type Settings = z.output<typeof variables>;

/** Shorter values of headers are words, such as the name of a provider, which texts may have. */
const LEAST_SECRET = 16;

/** OpenAI and compatible servers, whose address is `OPENAI_BASE_URL`. */
export const openai: Provider<typeof variables> = {
  name: 'openai',
  variables,
  secrets: ({ OPENAI_API_KEY: own, OPENAI_HEADERS: more = {} }) => [
    ...(own === undefined ? [] : [own]),
    ...Object.values(more).filter((value) => value.length >= LEAST_SECRET),
  ],
  destination: ({ OPENAI_BASE_URL: url = OWN_ADDRESS }) =>
    `${isOpenAIs(url) ? 'OpenAI' : 'the model server'} (${hostOf(url)})`,
  open: (model, settings) => openOpenAI(wireOf(settings), endpointOf(model, settings)),
  embeddings: (model, settings) => openEmbeddings(endpointOf(model, settings)),
};

/** Few other servers support Responses, and fewer support all of it. */
export function wireOf({ OPENAI_API: chosen, OPENAI_BASE_URL: url }: Settings): OpenAIWire {
  return chosen ?? (isOpenAIs(url ?? OWN_ADDRESS) ? 'responses' : 'chat');
}

function endpointOf(model: string, settings: Settings): OpenAIEndpoint {
  const { OPENAI_API_KEY: own, OPENAI_BASE_URL: baseUrl = OWN_ADDRESS } = settings;
  return {
    model,
    baseUrl,
    // Servers without keys accept any value.
    headers: { authorization: `Bearer ${own ?? 'none'}`, ...settings.OPENAI_HEADERS },
    isOpenAI: isOpenAIs(baseUrl),
    addressSetting: 'OPENAI_BASE_URL',
    limits: limitsFor(baseUrl, settings.OPENAI_SILENCE_MINUTES),
  };
}

import { z } from 'zod';
import { connectionFailed } from '../wire/server-error.ts';
import { address, hostOf, key, providerKey, type Provider } from '../provider.ts';

const OWN_ADDRESS = 'https://generativelanguage.googleapis.com';

const variables = z
  .object({
    GEMINI_API_KEY: z
      .string('missing. Create one at https://aistudio.google.com/apikey')
      .pipe(key)
      .describe('API key'),
    GOOGLE_GEMINI_BASE_URL: address.default(OWN_ADDRESS).describe('A server with the same API'),
  })
  .superRefine((values, context) => {
    if (values.GOOGLE_GEMINI_BASE_URL === OWN_ADDRESS)
      providerKey('Google', 'GEMINI_API_KEY')(values, context);
  });

/** The Gemini API of Google AI Studio. */
export const gemini: Provider<typeof variables> = {
  name: 'gemini',
  variables,
  secrets: ({ GEMINI_API_KEY }) => [GEMINI_API_KEY],
  destination: ({ GOOGLE_GEMINI_BASE_URL: url }) =>
    `${url === OWN_ADDRESS ? 'Google Gemini' : 'the model server'} (${hostOf(url)})`,
  open: async (model, settings) => {
    const { geminiAdapter } = await import('../gemini/gemini-adapter.ts');
    return geminiAdapter(model, {
      options: optionsOf(settings),
      place: settings.GOOGLE_GEMINI_BASE_URL,
      addressSetting: 'GOOGLE_GEMINI_BASE_URL',
      unsigned: connectionFailed,
    });
  },
  embeddings: async (model, settings) => {
    const { geminiEmbeddings } = await import('../gemini/gemini-adapter.ts');
    return geminiEmbeddings(model, { options: optionsOf(settings) });
  },
};

/** All that the client would otherwise read from the environment. Only the beta version serves preview models. */
const optionsOf = ({
  GEMINI_API_KEY: apiKey,
  GOOGLE_GEMINI_BASE_URL: baseUrl,
}: z.output<typeof variables>) => ({
  vertexai: false,
  apiKey,
  apiVersion: 'v1beta',
  httpOptions: { baseUrl },
});

import { z } from 'zod';
import { address, hostOf, key, providerKey, silence, type Provider } from '../provider.ts';
import { limitsFor } from '../wire/attempt-limits.ts';

const OWN_ADDRESS = 'https://api.anthropic.com';

const variables = z
  .object({
    ANTHROPIC_API_KEY: z
      .string('missing. Create one at https://platform.claude.com/settings/keys')
      .pipe(key)
      .describe('API key'),
    ANTHROPIC_BASE_URL: address.default(OWN_ADDRESS).describe('A server with the same API'),
    ANTHROPIC_SILENCE_MINUTES: silence(),
  })
  .superRefine((values, context) => {
    if (values.ANTHROPIC_BASE_URL === OWN_ADDRESS)
      providerKey('Anthropic', 'ANTHROPIC_API_KEY')(values, context);
  });

/** Anthropic's Messages API and compatible servers. */
export const anthropic: Provider<typeof variables> = {
  name: 'anthropic',
  variables,
  secrets: ({ ANTHROPIC_API_KEY }) => [ANTHROPIC_API_KEY],
  destination: ({ ANTHROPIC_BASE_URL: url }) =>
    `${url === OWN_ADDRESS ? 'Anthropic' : 'the model server'} (${hostOf(url)})`,
  open: async (model, settings) => {
    const { anthropicAdapter } = await import('../anthropic/anthropic-adapter.ts');
    const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseUrl } = settings;
    const limits = limitsFor(baseUrl, settings.ANTHROPIC_SILENCE_MINUTES);
    return anthropicAdapter(model, {
      apiKey,
      baseUrl,
      isAnthropic: baseUrl === OWN_ADDRESS,
      limits,
    });
  },
};

import type { Model } from '../agent/model.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { costOf, factsOf } from './catalog/facts.ts';
import type { PriceList } from './catalog/schema.ts';
import { gemini } from './gemini.ts';
import { githubModels } from './github-models.ts';
import { ollama } from './ollama.ts';
import { openai } from './openai.ts';
import type { Provider } from './provider.ts';
import { withRetries } from './retry.ts';
import { scripted } from './scripted.ts';
import { vertex } from './vertex.ts';

export const PROVIDERS: readonly Provider[] = [
  openai,
  azure,
  githubModels,
  anthropic,
  gemini,
  vertex,
  ollama,
  scripted,
];

export const PROVIDER_NAMES: readonly string[] = PROVIDERS.map(({ name }) => name);

/**
 * The model that `provider:name` stands for, with retries and prices. `settings` holds what the
 * `variables` of each provider made of the environment, by the provider's name.
 * @throws {Error} for a provider that does not exist; the configuration is checked before
 */
export async function openModel(
  name: string,
  settings: ReadonlyMap<string, unknown>,
  prices?: PriceList,
): Promise<Model> {
  const [word = '', model = ''] = name.split(/:(.*)/s, 2);
  const provider = PROVIDERS.find((one) => one.name === word);
  if (provider === undefined) throw new Error(`there is no model provider for "${name}"`);
  // Made by this provider's own schema: the list holds providers of different settings.
  const own = settings.get(word) as Record<string, unknown>;
  const { price, contextWindow, maxOutput } = factsOf(word, model, prices);
  const adapter = await provider.open(model, own);
  return {
    name,
    destination: provider.destination(own),
    callsTools: adapter.callsTools,
    contextWindow: adapter.contextWindow ?? contextWindow,
    reply: withRetries(async (request) => {
      const maxOutputTokens = Math.min(request.maxOutputTokens, maxOutput ?? Infinity);
      const reply = await adapter.reply({ ...request, maxOutputTokens });
      return { ...reply, cost: price === null ? null : costOf(reply.usage, price) };
    }),
  };
}

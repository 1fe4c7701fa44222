import type { Model } from '../agent/model.ts';
import { withRetries } from './retry.ts';
import type { OpenAISettings } from './openai.ts';

export interface ModelSettings {
  readonly openai: OpenAISettings;
}

type Provider = (model: string, settings: ModelSettings) => Promise<Model>;

/** Every provider by the word before the first colon of `MODEL`. Their SDKs are loaded when used. */
const PROVIDERS: ReadonlyMap<string, Provider> = new Map([
  ['openai', async (model, { openai }) => (await import('./openai.ts')).openAIModel(model, openai)],
]);

export const PROVIDER_NAMES: readonly string[] = [...PROVIDERS.keys()];

/**
 * The model that `provider:name` stands for, with retries.
 * @throws {Error} for a provider that does not exist; the configuration is checked before
 */
export async function openModel(name: string, settings: ModelSettings): Promise<Model> {
  const colon = name.indexOf(':');
  const provider = PROVIDERS.get(name.slice(0, colon));
  if (provider === undefined) throw new Error(`there is no model provider for "${name}"`);
  return withRetries(await provider(name.slice(colon + 1), settings));
}

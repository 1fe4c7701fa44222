import type { Embedder } from '../contracts/model.ts';
import { costOf, factsOf } from './catalog/facts.ts';
import type { PriceList } from './catalog/schema.ts';
import { unitVectors, type Embed } from './wire/vectors.ts';
import { PROVIDERS } from './index.ts';
import { NO_USAGE } from '../lib/no-usage.ts';
import { tokenCount } from './wire/token-count.ts';
import { withoutKeys } from './wire/without-keys.ts';

/**
 * Opens the embedding model `provider:name`; its client is loaded with the first text. `settings` are as for
 * `openModel`.
 * @throws {Error} if the provider has no embeddings; the configuration was checked before
 */
export function openEmbedder(
  name: string,
  settings: () => ReadonlyMap<string, unknown>,
  prices?: PriceList,
): Embedder {
  const [word = '', model = ''] = name.split(/:(.*)/s, 2);
  const provider = PROVIDERS.find((one) => one.name === word);
  const none = (): Error => new Error(`no embeddings of the provider in "${name}"`);
  if (provider === undefined || !('embeddings' in provider)) throw none();
  // Made by this provider's own schema: the list holds providers of different settings.
  const settingsNow = () => settings().get(word) as Record<string, unknown>;
  let own = settingsNow();
  const { price } = factsOf(name, provider.isFree?.(model) ?? false, prices);
  let opened: Promise<Embed> | undefined;
  return {
    name,
    destination: provider.destination(own, model),
    embed: async (texts, signal) => {
      const now = settingsNow();
      if (now !== own) [own, opened] = [now, undefined];
      opened ??= provider.embeddings?.(model, own);
      if (opened === undefined) throw none();
      const embed = await opened;
      const { vectors, tokens } = await embed(texts, signal).catch((error: unknown) => {
        throw withoutKeys(error, provider.secrets(now));
      });
      const input = tokenCount(tokens);
      const usage = { ...NO_USAGE, input };
      return {
        vectors: unitVectors(vectors, texts.length),
        usage,
        // Gemini does not say how many tokens it has read.
        cost: price === null || (input === 0 && price.input > 0) ? null : costOf(usage, price),
      };
    },
  };
}

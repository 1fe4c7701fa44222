import type { Effort, Model, ModelReply, ModelRequest, Usage } from '../contracts/model.ts';
import { ProviderOutage, QuotaSpent } from '../agent/model-errors.ts';
import { costOf, factsOf, type PriceList } from './catalog.ts';
import { measured, timed } from '../lib/measurements.ts';
import { NO_USAGE } from '../lib/no-usage.ts';
import type { ModelAdapter, Provider } from './provider.ts';
import { Rejections } from './rejections.ts';
import { anthropic } from './providers/anthropic.ts';
import { azure } from './providers/azure.ts';
import { gemini } from './providers/gemini.ts';
import { githubModels } from './providers/github-models.ts';
import { ollama } from './providers/ollama.ts';
import { openai } from './providers/openai.ts';
import { scripted } from './providers/scripted.ts';
import { vertex } from './providers/vertex.ts';
import { withoutKeys } from './wire/without-keys.ts';
import { TryLater, withRetries, type RetryClock, type RetryPolicy } from '../lib/errors.ts';
import { TriedKey } from '../lib/tried-key.ts';
import { codeBelow, KeyDenied, NotTheApi } from './wire/server-error.ts';
import { weightOf } from '../agent/relief.ts';
import type { Embedder } from '../contracts/model.ts';
import { unitVectors, type Embed } from './wire/vectors.ts';
import { tokenCount } from './wire/token-count.ts';

/** Every model provider. `MODEL` names one before its first colon. */
export const PROVIDERS: readonly Provider[] = [
  openai,
  azure,
  githubModels,
  anthropic,
  gemini,
  vertex,
  ollama,
];

/** The share of the context window that a reply may use. The rest is for the conversation. */
export const REPLY_SHARE = 1 / 4;

/**
 * Opens the model `provider:name`, with retries and prices. `settings` maps a provider's name to the
 * settings that its `variables` parsed from the environment. `tried` outlasts the model: other models of the provider may have the
 * same key, and a model is opened again.
 * @throws {Error} if the provider does not exist; the configuration was checked before
 */
export async function openModel(
  name: string,
  settings: ReadonlyMap<string, unknown>,
  prices?: PriceList,
  tried = new Map<string, TriedKey>(),
): Promise<Model> {
  const [word = '', model = ''] = name.split(/:(.*)/s, 2);
  const provider = [...PROVIDERS, scripted].find((one) => one.name === word);
  if (provider === undefined) throw new Error(`unknown model provider in "${name}"`);
  // Made by this provider's own schema: the list holds providers of different settings.
  const own = (settings.get(word) ?? {}) as Record<string, unknown>;
  const keys = provider.secrets(own);
  const isFree = provider.isFree?.(model) ?? false;
  const { price, maxOutput, seesImages, ...facts } = factsOf(name, isFree, prices);
  const adapter = await provider.open(model, own);
  const contextWindow =
    adapter.contextWindow ?? facts.contextWindow ?? (await adapter.lookUpWindow?.());
  const room = contextWindow === undefined ? Infinity : Math.floor(contextWindow * REPLY_SHARE);
  const rejections = new Rejections();
  const send = sender(adapter, keys, { of: word, tried: triedKeyOf(word, keys, tried) });
  const asked = retried(
    told(word, model, async (request) => {
      const maxOutputTokens = Math.min(request.maxOutputTokens, room, maxOutput ?? Infinity);
      const reply = await rejections.answer({ ...request, maxOutputTokens }, send);
      const usage = usageOf(request, reply);
      return { ...reply, usage, cost: price === null ? null : costOf(usage, price) };
    }),
  );
  return {
    name,
    destination: provider.destination(own, model),
    callsTools: adapter.callsTools,
    imageTypes: new Set(seesImages ? adapter.imageTypes : []),
    contextWindow,
    learnt: () => [...(adapter.learnt?.() ?? []), ...rejections.learnt],
    reply: (request) =>
      asked(request).catch((error: unknown) => {
        throw request.signal.aborted ? error : asOutage(error);
      }),
  };
}

/**
 * `openModel` for one process, with an effort for every request. Each model is opened once, because it learns what its server
 * wants, and every session needs that; and again once `settings` answers with others, as when a key was replaced.
 */
export function modelOpener(
  settings: () => ReadonlyMap<string, unknown>,
  prices?: PriceList,
): (name: string, effort?: Effort) => Promise<Model> {
  const tried = new Map<string, TriedKey>();
  let current = settings();
  let opened = new Map<string, Promise<Model>>();
  const openNow = (name: string): Promise<Model> => {
    const now = settings();
    if (now !== current) [current, opened] = [now, new Map()];
    const of = opened;
    const opening = of.get(name) ?? openModel(name, now, prices, tried);
    of.set(name, opening);
    opening.catch(() => of.delete(name));
    return opening;
  };
  return async (name, effort) => ({
    ...(await openNow(name)),
    reply: async (request) => {
      const model = await openNow(name);
      return model.reply(effort === undefined ? request : { ...request, effort });
    },
  });
}

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

/** Replies, measured. */
const told =
  (provider: string, model: string, reply: Model['reply']): Model['reply'] =>
  (request) =>
    timed(
      { kind: 'model_request', provider, model },
      () => reply(request),
      ({ result, ...ended }) =>
        measured('model_request', {
          provider,
          model,
          ...ended,
          tokens: result?.usage,
          dollars: result?.cost,
        }),
    );

/** Whether it is known what a model costs. */
export const isPriceKnown = (name: string, prices?: PriceList): boolean =>
  dollarsFor(name, NO_USAGE, prices) !== null;

/** What so many tokens of a model cost, in US dollars; `null` if its price is unknown. */
export function dollarsFor(name: string, usage: Usage, prices?: PriceList): number | null {
  const [word = '', model = ''] = name.split(/:(.*)/s, 2);
  const isFree = PROVIDERS.find((one) => one.name === word)?.isFree?.(model) ?? false;
  const { price } = factsOf(name, isFree, prices);
  return price === null ? null : costOf(usage, price);
}

/** What is known of the models of the service before one is opened, for the `Operator`. */
export const offered = ({
  offered: models,
  review,
  catalog,
  effort,
  mostEffort,
  fallback,
}: OfferedModels) => ({
  models,
  reviewModel: review,
  areImagesSeen: models.some((name) => factsOf(name, false, catalog).seesImages),
  effort,
  mostEffort,
  fallback,
});

/** The models of the service, as the operator set them. */
export interface OfferedModels {
  /** As `provider:name`; the first is the default. */
  readonly offered: readonly [string, ...string[]];
  /** The model that reviews changes, as `provider:name`; `undefined`: the one that made them. */
  readonly review: string | undefined;
  /** The operator's own prices and windows; they override the built-in ones. */
  readonly catalog: PriceList | undefined;
  /** `undefined`: the default of the model. */
  readonly effort?: Effort | undefined;
  /** The highest that a repository may choose. */
  readonly mostEffort?: Effort | undefined;
  /** The model that continues a run after an outage of so many milliseconds. */
  readonly fallback?: { readonly model: string; readonly afterMs: number } | undefined;
}

function triedKeyOf(
  provider: string,
  keys: readonly string[],
  tried: Map<string, TriedKey>,
): TriedKey {
  const name = JSON.stringify([provider, ...keys]);
  const key = tried.get(name) ?? new TriedKey();
  tried.set(name, key);
  return key;
}

/** Asks once. The errors have no part of the keys. */
function sender(
  adapter: ModelAdapter,
  keys: readonly string[],
  { of, tried }: { readonly of: string; readonly tried: TriedKey },
): ModelAdapter['reply'] {
  return async (request) => {
    try {
      const reply = await adapter.reply(request);
      tried.accepted();
      measured('credentials', { of, answer: 'ok' });
      return reply;
    } catch (error) {
      if (request.signal.aborted) throw error;
      const safe = withoutKeys(error, keys);
      if (safe instanceof KeyDenied && tried.mayBeValid) throw doubted(safe);
      if (safe instanceof KeyDenied) measured('credentials', { of, answer: 'key_rejected' });
      if (safe instanceof QuotaSpent) measured('credentials', { of, answer: 'quota_used_up' });
      throw safe;
    }
  };
}

const doubted = (error: KeyDenied): TryLater =>
  new TryLater(`${error.message} It accepted the same key before, so this may be an outage.`, {
    cause: error,
  });

/** Codes of failures on our side of the connection: the name of the server is wrong, or its certificate is not trusted here. */
const OURS = /^(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;

/** What is still so after all attempts is an outage of the provider, unless it is our own. */
const asOutage = (error: unknown): unknown =>
  error instanceof TryLater && !OURS.test(codeBelow(error))
    ? new ProviderOutage(error.message, { cause: error, retryAfterMs: error.retryAfterMs })
    : error;

const POLICY: RetryPolicy = { attempts: 4, firstDelayMs: 500, longestDelayMs: 5_000 };

/** The only place where a model request is retried. @throws the reason of its signal if that is aborted during a wait */
export const retried =
  (reply: Model['reply'], policy = POLICY, waiting?: RetryClock): Model['reply'] =>
  (request) =>
    withRetries(() => reply(request), {
      policy,
      // A page instead of a reply may be that of a proxy whose server restarts. A person is told if it stays.
      mayPass: (error) => error instanceof TryLater || error instanceof NotTheApi,
      signal: request.signal,
      waiting,
    });

const tokensOf = (text: string): number => weightOf({ role: 'user', text });

type ReplyContent = Pick<ModelReply, 'text' | 'reasoning' | 'calls' | 'usage'>;

/** What a reply used: as the server counts it or, if it does not, by the length of the texts. */
function usageOf(request: ModelRequest, reply: ReplyContent): Usage {
  const { usage } = reply;
  if (usage.input > 0 && usage.output > 0) return usage;
  // Some servers count only one of both.
  return {
    ...usage,
    input: usage.input || estimatedInput(request),
    output: usage.output || estimatedOutput(reply),
    isEstimated: true,
  };
}

const estimatedInput = ({ system, messages, tools }: ModelRequest): number =>
  tokensOf(system) +
  messages.reduce((sum, message) => sum + weightOf(message), 0) +
  (tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools)));

const estimatedOutput = ({ text, reasoning, calls }: ReplyContent): number =>
  tokensOf(text) + tokensOf(reasoning) + (calls.length === 0 ? 0 : tokensOf(JSON.stringify(calls)));

import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { codeOf, messageOf } from '../lib/errors.ts';
import { shownSettingPath } from '../lib/directories.ts';
import { readPriceList, type PriceList } from '../models/catalog.ts';
import { EFFORTS, isHigher } from '../session/settings/fields.ts';
import { PROVIDERS, type OfferedModels } from '../models/index.ts';
import type { Provider } from '../models/provider.ts';
import { jsonFault } from './values/json-fault.ts';
import { check, unreadableFile, type ConfigFault, type Variables } from './faults.ts';
import { list, trimmedText, whole } from './values/fields.ts';

export interface ModelsConfig extends OfferedModels {
  /** The embedding model, as `provider:name`. */
  readonly embedding: string | undefined;
  /** The settings of each provider that is named, as its `variables` schema parses them. */
  readonly settings: ReadonlyMap<string, unknown>;
  /** Values to redact everywhere. */
  readonly secrets: readonly string[];
}

const EMBEDDING_PROVIDERS = PROVIDERS.filter((one) => 'embeddings' in one);

const LEVELS = EFFORTS.map((one) => `\`${one}\``).join(', ');
const effort = z.enum(EFFORTS, `must be one of ${LEVELS}`);

export const ModelVariables = z.object({
  MODEL: list('missing. Name a model as `provider:name`, such as `openai:gpt-5.4`').describe(
    `The model, as \`provider:name\`. If you list several, comma-separated, repositories can choose; the first is the default. Providers: ${PROVIDERS.map(({ name }) => `\`${name}\``).join(', ')}`,
  ),
  REVIEW_MODEL: trimmedText
    .optional()
    .describe(
      'The model that [reviews changes](using.md#self-review) before they are submitted, as `provider:name`, such as a cheaper one. The default is the model that made the change',
    ),
  EMBEDDING_MODEL: trimmedText
    .optional()
    .describe(
      `Also search the [memory](using.md#memory) of repositories by meaning, with this embedding model, as \`provider:name\`. Its server receives the memories and the queries. Providers: ${EMBEDDING_PROVIDERS.map(({ name }) => `\`${name}\``).join(', ')}`,
    ),
  MODEL_EFFORT: effort.optional().meta({
    unset: "the model's own default",
    description: `How much models [think](models.md#effort): ${LEVELS}. Repositories and labels may choose another`,
  }),
  MODEL_EFFORT_MAX: effort
    .default('high')
    .describe(`The highest effort that repositories and labels may choose: ${LEVELS}`),
  MODEL_FALLBACK: trimmedText
    .optional()
    .describe(
      'The model that [takes over a run](models.md#another-model-after-an-outage) after its own has failed for `MODEL_FALLBACK_MINUTES`, as `provider:name`. Its server then receives the code, if the settings of the repository allow that',
    ),
  MODEL_FALLBACK_MINUTES: whole(1, 180)
    .default(30)
    .describe(
      'Minutes of an outage, or of a used-up quota, after which `MODEL_FALLBACK` continues',
    ),
  MODEL_CATALOG: trimmedText
    .optional()
    .describe(
      'JSON file with your own [prices, context windows](models.md#prices) and models that see [images](models.md#images); mount it if you use a container',
    ),
});

export function readModels(variables: Variables, faults: ConfigFault[]): ModelsConfig | undefined {
  const read = check(ModelVariables, variables, faults);
  if (read === undefined) return undefined;
  const catalog = readCatalog(read.MODEL_CATALOG, faults);
  const [first, ...rest] = read.MODEL;
  if (first === undefined) return undefined;
  const { EMBEDDING_MODEL: embedding, REVIEW_MODEL: review, MODEL_FALLBACK: fallback } = read;
  if (isHigher(read.MODEL_EFFORT, read.MODEL_EFFORT_MAX))
    faults.push({ name: 'MODEL_EFFORT', fault: 'is higher than MODEL_EFFORT_MAX' });
  const models = [first, ...rest].map((name) => providerOf('MODEL', name, faults));
  const named = new Set([
    ...models,
    review === undefined ? undefined : providerOf('REVIEW_MODEL', review, faults),
    fallback === undefined ? undefined : providerOf('MODEL_FALLBACK', fallback, faults),
    embedding === undefined ? undefined : providerOf('EMBEDDING_MODEL', embedding, faults),
  ]);
  const providers = [...named].filter((provider) => provider !== undefined);
  return {
    offered: [first, ...rest],
    review,
    embedding,
    catalog,
    effort: read.MODEL_EFFORT,
    mostEffort: read.MODEL_EFFORT_MAX,
    fallback:
      fallback === undefined
        ? undefined
        : { model: fallback, afterMs: read.MODEL_FALLBACK_MINUTES * 60_000 },
    ...setUp(providers, variables, faults),
  };
}

function providerOf(
  setting: 'MODEL' | 'REVIEW_MODEL' | 'MODEL_FALLBACK' | 'EMBEDDING_MODEL',
  name: string,
  faults: ConfigFault[],
): Provider | undefined {
  const all = setting === 'EMBEDDING_MODEL' ? EMBEDDING_PROVIDERS : PROVIDERS;
  const [, word, model] = /^([^:]*):(.*)$/.exec(name) ?? [];
  const provider = all.find((one) => one.name === word);
  if (provider !== undefined && model !== '' && !NO_NAME.test(model ?? '')) return provider;
  const known = all.map((one) => `\`${one.name}:…\``).join(', ');
  const isKnown = provider === undefined && PROVIDERS.some((one) => one.name === word);
  const fault = isKnown ? `\`${word}\` has no embeddings` : faultOf(word, model);
  faults.push({ name: setting, fault: `${fault}. Name a model as ${known}` });
  return undefined;
}

const NO_NAME = /[\s;|,*"'`<>]/;

/** Names no more than a word before the colon: the rest may be a key that was put here by mistake. */
function faultOf(word: string | undefined, model: string | undefined): string {
  if (word === undefined || model === undefined) return 'has no provider before the name';
  if (!/^[a-z-]{1,20}$/i.test(word)) return 'has an unknown provider';
  if (/[;|,]/.test(model)) return 'has a `;`, a `|` or a `,` in the name of a model';
  if (NO_NAME.test(model))
    return `has a quote, a \`*\` or a space in the name of a model of \`${word}\``;
  return model === '' ? `names no model of \`${word}\`` : `\`${word}\` is no provider`;
}

function setUp(
  providers: readonly Provider[],
  variables: Variables,
  faults: ConfigFault[],
): Pick<ModelsConfig, 'settings' | 'secrets'> {
  const settings = new Map<string, unknown>();
  const secrets: string[] = [];
  for (const provider of providers) {
    const read = check(provider.variables, variables, faults);
    if (read === undefined) continue;
    settings.set(provider.name, read);
    secrets.push(...provider.secrets(read));
  }
  return { settings, secrets };
}

function readCatalog(path: string | undefined, faults: ConfigFault[]): PriceList | undefined {
  if (path === undefined) return undefined;
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
    return readPriceList(text);
  } catch (error) {
    const file = shownSettingPath(path) ?? 'the file that it names';
    const place = jsonFault(text);
    const why = place === undefined ? messageOf(error) : `it is not JSON (${place})`;
    const fault =
      codeOf(error) === undefined
        ? `${file} is not a valid price list: ${why}. docs/models.md has an example`
        : unreadableFile(path, error);
    faults.push({ name: 'MODEL_CATALOG', fault });
    return undefined;
  }
}

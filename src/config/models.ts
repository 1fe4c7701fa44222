import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { messageOf } from '../lib/errors.ts';
import { readPriceList, type PriceList } from '../models/catalog/schema.ts';
import { PROVIDERS } from '../models/index.ts';
import type { Provider } from '../models/provider.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { list, text } from './fields.ts';

export interface ModelsConfig {
  /** The models offered, as `provider:name`; the first is the default. */
  readonly offered: readonly [string, ...string[]];
  /** What each provider that is named there is set up with, in the form of its own `variables`. */
  readonly settings: ReadonlyMap<string, unknown>;
  /** The operator's own prices and windows; they count before those that are built in. */
  readonly catalog: PriceList | undefined;
  /** Values that no log and no comment may show. */
  readonly secrets: readonly string[];
}

export const ModelVariables = z.object({
  MODEL: list('missing. Name a model as `provider:name`, such as `openai:gpt-5.2`').describe(
    `\`provider:name\`; several, separated by commas, offer repositories a choice, the first is the default. Providers: ${PROVIDERS.map(({ name }) => `\`${name}\``).join(', ')}`,
  ),
  MODEL_CATALOG: text
    .optional()
    .describe(
      'A JSON file with your own [prices and context windows](models.md#prices); in a container, mount it',
    ),
});

export function readModels(variables: Variables, faults: ConfigFault[]): ModelsConfig | undefined {
  const read = check(ModelVariables, variables, faults);
  if (read === undefined) return undefined;
  const catalog = readCatalog(read.MODEL_CATALOG, faults);
  const [first, ...rest] = read.MODEL;
  if (first === undefined) return undefined;
  const named = new Set([first, ...rest].map((name) => providerOf(name, faults)));
  const providers = [...named].filter((provider) => provider !== undefined);
  return { offered: [first, ...rest], catalog, ...setUp(providers, variables, faults) };
}

function providerOf(name: string, faults: ConfigFault[]): Provider | undefined {
  const [, word, model] = /^([^:]*):(.*)$/.exec(name) ?? [];
  const provider = PROVIDERS.find((one) => one.name === word);
  if (provider !== undefined && model !== '') return provider;
  const known = PROVIDERS.map((one) => `\`${one.name}:…\``).join(', ');
  faults.push({ name: 'MODEL', fault: `"${name}" is not one of ${known}` });
  return undefined;
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
  try {
    return readPriceList(readFileSync(path, 'utf8'));
  } catch (error) {
    faults.push({ name: 'MODEL_CATALOG', fault: `"${path}" cannot be used: ${messageOf(error)}` });
    return undefined;
  }
}

import { parseDocument } from 'yaml';
import { z } from 'zod';

export const SETTINGS_FILE = '.github/issuewright.yml';
export const DEFAULT_LABEL = 'issuewright';

/** `.github/issuewright.yml`, read from the default branch only. */
const RepositorySettings = z.strictObject({
  label: z
    .string()
    .trim()
    .min(1)
    .max(50)
    .default(DEFAULT_LABEL)
    .describe('The label that starts work on an issue'),
  model: z
    .string()
    .optional()
    .describe('One of the models that the operator offers, as `provider:name`'),
  limits: z
    .strictObject({
      turns: z.int().min(1).max(500).optional().describe('Model replies for one run'),
      minutes: z.int().min(1).max(600).optional().describe('Wall time of one run'),
    })
    .default({}),
});

export type RepositorySettings = z.infer<typeof RepositorySettings>;

const DEFAULT_SETTINGS: RepositorySettings = RepositorySettings.parse({});

/** The settings, or a sentence that says what is wrong with the file and where. */
export type ReadSettings = { readonly settings: RepositorySettings } | { readonly fault: string };

/** Reads the file's text; `undefined` means that the repository has none. */
export function readSettings(text: string | undefined): ReadSettings {
  if (text === undefined) return { settings: DEFAULT_SETTINGS };
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) return { fault: error.message };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 20 });
  } catch (thrown) {
    return { fault: thrown instanceof Error ? thrown.message : 'it cannot be read as YAML' };
  }
  const parsed = RepositorySettings.safeParse(value ?? {});
  return parsed.success ? { settings: parsed.data } : { fault: z.prettifyError(parsed.error) };
}

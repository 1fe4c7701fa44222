// The JSON schema of `.github/issuewright.yml`, for the editors of those who write one.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { repositorySettingsSchema, SETTINGS_FILE } from '../../../src/session/settings/index.ts';
import { TOOLS } from '../../../src/tools/index.ts';
import type { Schema } from './markdown-table.ts';

export const SCHEMA_FILE = 'docs/issuewright.schema.json';

/** Where editors find it: in the repository that app.yml names. */
export function schemaAddress(): string {
  const { url } = z.object({ url: z.url() }).parse(parse(readFileSync('app.yml', 'utf8')));
  return `https://raw.githubusercontent.com${new URL(url).pathname}/main/${SCHEMA_FILE}`;
}

/** What a file may say, without what only the service checks. */
export const settingsSchema = (): Schema =>
  z.toJSONSchema(repositorySettingsSchema, { io: 'input', target: 'draft-7' }) as Schema;

export function settingsSchemaDocument(): string {
  const { properties, ...schema } = settingsSchema();
  const document = {
    ...schema,
    $id: schemaAddress(),
    title: `Issuewright's settings in a repository: ${SETTINGS_FILE}`,
    properties: { ...properties, tools: toolsSchema(properties?.['tools']) },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The names of tools, which only their registry knows. */
function toolsSchema({ default: standard, description }: Schema = {}): object {
  const known = TOOLS.map((tool) => [
    tool.name,
    { type: 'boolean', description: `${tool.description} (${tool.offer}, ${tool.safety})` },
  ]);
  return {
    default: standard,
    description,
    type: 'object',
    properties: Object.fromEntries(known),
    additionalProperties: false,
  };
}

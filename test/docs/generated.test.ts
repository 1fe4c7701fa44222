import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { repositorySettingsSchema, SETTINGS_FILE } from '../../src/session/settings/index.ts';
import { readSettings } from '../../src/session/settings/read.ts';
import {
  CONFIGURATION_DOCUMENT,
  configurationDocument,
} from '../support/documents/configuration-document.ts';
import { DOCUMENTS } from '../support/documents/documents.ts';
import { SCHEMA_FILE, schemaAddress } from '../support/documents/settings-schema.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

it.each(DOCUMENTS)('$path says what the code says; if not, run: npm run docs', ({ path, make }) => {
  expect(read(path)).toBe(make(read(path)));
});

describe('the tables of docs/configuration.md', () => {
  const text = read(CONFIGURATION_DOCUMENT);

  it('are generated again whatever is between their markers', () => {
    const spoiled = text.replace(/\| `label` \|.*\n/, '| `label` | nonsense |\n');
    expect(spoiled).not.toBe(text);
    expect(configurationDocument(spoiled)).toBe(text);
  });

  it('cannot be lost', () => {
    const without = text.replace(/<!-- made by npm run docs: limits -->/, '');
    expect(() => configurationDocument(without)).toThrow(/limits/);
    const other = text.replace('docs: limits -->', 'docs: limit -->');
    expect(() => configurationDocument(other)).toThrow(/"limit"/);
  });

  it('have a row for every setting of a repository', () => {
    for (const name of Object.keys(repositorySettingsSchema.shape))
      expect(text).toMatch(new RegExp(`^\\| \`${name}(\\.\\w+)?\` \\|`, 'm'));
  });
});

it('docs/configuration.md says with which faults a run continues', () => {
  const text = read(CONFIGURATION_DOCUMENT);
  const [, said = ''] = /an invalid value of ([^]*?)\.\n/.exec(text) ?? [];
  const named = [...said.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  const harmless = Object.keys(repositorySettingsSchema.shape).filter(
    (name) => 'settings' in readSettings(`${name}: {x: {y: 1}}`),
  );
  expect(named.toSorted()).toEqual(harmless.toSorted());
});

const EXAMPLES = [...read(CONFIGURATION_DOCUMENT).matchAll(/^```yaml\n([^]*?)^```/gm)].map(
  ([, yaml = '']) => yaml,
);
/** The one of the sample repository too. */
const settingsFile = SAMPLE.files[SETTINGS_FILE] ?? '';

describe('the settings of a repository that are shown', () => {
  const schema = z.fromJSONSchema(JSON.parse(read(SCHEMA_FILE)));
  const shown = [...EXAMPLES, settingsFile].filter((yaml) => parse(yaml) !== null);

  it.each(shown)('can be used, and editors agree: %s', (yaml) => {
    expect(readSettings(yaml)).toMatchObject({ warnings: [] });
    expect(schema.safeParse(parse(yaml))).toMatchObject({ success: true });
  });

  it.each([
    ['limits: {turns: 0}'],
    ['paths: {denied: [a]}'],
    ['tools: {run_magic: true}'],
    ['plan: maybe'],
    ['colour: red'],
  ])('are marked by editors if they are invalid: %s', (yaml) => {
    expect(schema.safeParse(parse(yaml))).toMatchObject({ success: false });
  });

  it('name the schema that is published', () => {
    const line = `# yaml-language-server: $schema=${schemaAddress()}\n`;
    expect(settingsFile.startsWith(line)).toBe(true);
    expect(EXAMPLES.some((yaml) => yaml.startsWith(line))).toBe(true);
    expect(JSON.parse(read(SCHEMA_FILE))).toMatchObject({ $id: schemaAddress() });
  });
});

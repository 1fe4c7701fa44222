// Keys that are given as files, which may be replaced while the service runs.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { PROVIDERS } from '../models/index.ts';
import { unreadableFile, type ConfigFault } from './faults.ts';
import { trimmedText } from './values/fields.ts';
import { isReadable } from './values/private-key.ts';

const NAMES = [
  'WEBHOOK_SECRET',
  ...PROVIDERS.flatMap(({ variables }) => Object.keys(variables.shape)).filter((name) =>
    /_(?:KEY|TOKEN)$/.test(name),
  ),
];

const fileOf = (name: string): string => `${name}_FILE`;

const described = (name: string): string =>
  name === 'WEBHOOK_SECRET'
    ? 'File with `WEBHOOK_SECRET`; on a second line the other one, [while you replace it](operations.md#replacing-keys)'
    : `File with \`${name}\``;

export const KeyFileVariables = z.object(
  Object.fromEntries(
    NAMES.map((name) => [fileOf(name), trimmedText.optional().describe(described(name))]),
  ),
);

/** The variables with the keys that files hold. */
export function withKeyFiles(
  variables: Record<string, string>,
  faults: ConfigFault[],
): Record<string, string> {
  const read: Record<string, string> = { ...variables };
  for (const name of NAMES) {
    const path = variables[fileOf(name)]?.trim();
    if (path === undefined) continue;
    if (variables[name] !== undefined)
      faults.push({
        name: fileOf(name),
        fault: `is set, and so is ${name}. Remove one of the two`,
      });
    try {
      const content = isReadable(path) ? readFileSync(path, 'utf8').trim() : '';
      if (content === '') faults.push({ name: fileOf(name), fault: 'names an empty file' });
      read[name] = content;
    } catch (error) {
      faults.push({ name: fileOf(name), fault: unreadableFile(path, error) });
    }
  }
  return read;
}

/** The files with keys, that of the App among them. */
export const keyFilesOf = (
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] =>
  ['PRIVATE_KEY_PATH', ...NAMES.map(fileOf)]
    .map((name) => variables[name]?.trim() ?? '')
    .filter((path) => path !== '')
    .map((path) => resolve(path));

// What setup keeps of a new App, in the directory in which it was started.
import { accessSync, constants, existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Enterprise } from '../../github/addresses.ts';
import type { NewApp } from '../../github/set-up/from-manifest.ts';
import { reasonOf } from '../../lib/reason.ts';
import { changeEnvFile, settingsIn, writeKey, type EnvChanges } from './env-file.ts';

export const ENV_FILE = '.env';
const KEY_FILE = 'private-key.pem';

/** @throws {Error} if there is an App already, and nobody wants it replaced */
export async function requireConsent(isReplaced: boolean): Promise<void> {
  requireWritable();
  const { APP_ID: id } = settingsIn(ENV_FILE);
  const found = [
    ...(id === undefined || id === ''
      ? []
      : [`${ENV_FILE} has the settings of an App (APP_ID ${id})`]),
    ...(existsSync(KEY_FILE) ? [`there is a key, ${KEY_FILE}`] : []),
  ];
  if (found.length === 0 || isReplaced) return;
  const what = found.join(', and ');
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const said = await terminal.question(
      `In this directory, ${what}. Replace it? The old files are kept as *.old. [y/N] `,
    );
    terminal.close();
    if (/^y(?:es)?$/i.test(said.trim())) return;
  }
  throw new Error(`In this directory, ${what}. Nothing was changed. --replace replaces it.`);
}

/** GitHub shows a key once: it must not be lost because it cannot be written. */
function requireWritable(): void {
  try {
    accessSync('.', constants.W_OK);
  } catch (error) {
    throw new Error(
      `This directory cannot be written to (${reasonOf(error)}), and the settings are written here. Start setup in a directory of your own.`,
      { cause: error },
    );
  }
}

/** Writes the files, and says what is left to do. */
export function keepApp(app: NewApp, enterprise: Enterprise): readonly string[] {
  writeKey(KEY_FILE, app.privateKey);
  changeEnvFile(ENV_FILE, settingsOf(app, enterprise));
  const { MODEL: model = '' } = settingsIn(ENV_FILE);
  return [...(model === '' ? [NO_MODEL] : []), ...NEXT];
}

/** What the settings file has of an App, besides its key. */
export const settingsOf = (
  { id, owner, webhookSecret, clientId, clientSecret }: Omit<NewApp, 'privateKey'>,
  enterprise: Enterprise,
): EnvChanges => ({
  APP_ID: String(id),
  PRIVATE_KEY: undefined,
  PRIVATE_KEY_PATH: `./${KEY_FILE}`,
  WEBHOOK_SECRET: webhookSecret,
  CLIENT_ID: clientId,
  CLIENT_SECRET: clientSecret,
  ALLOWED_OWNERS: owner,
  ...(enterprise === undefined
    ? {}
    : { GHE_HOST: enterprise.host, GHE_PROTOCOL: enterprise.protocol }),
});

const NO_MODEL = `Set MODEL and the key of its provider in ${ENV_FILE}, such as MODEL=openai:gpt-5.2 and OPENAI_API_KEY.`;

const NEXT = [
  'Start the service: issuewright start (npm start).',
  'Create the label issuewright in your repository, and put it on an issue.',
  'If something does not work: issuewright doctor.',
];

// What setup keeps of a new App, in the directory in which it was started.
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { createInterface } from 'node:readline/promises';
import type { Enterprise } from '../../github/addresses.ts';
import type { NewApp } from '../../github/set-up/app-set-up.ts';
import { reasonOf } from '../../lib/reason.ts';
import { parseEnv } from 'node:util';
import { spellCommand } from '../../lib/program-name.ts';

export const ENV_FILE = '.env';
const KEY_FILE = 'private-key.pem';

/** @throws {Error} if there is an App already, and nobody wants it replaced */
export async function requireConsent(isReplaced: boolean): Promise<void> {
  requireWritable();
  for (const file of [ENV_FILE, KEY_FILE]) requireNoLink(file);
  const { APP_ID: id } = settingsIn(ENV_FILE);
  const found: string[] = [];
  if (id !== undefined && id !== '')
    found.push(`${ENV_FILE} has the settings of an App (APP_ID ${id})`);
  if (existsSync(KEY_FILE)) found.push(`there is a key, ${KEY_FILE}`);
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
      `Cannot write to this directory (${reasonOf(error)}), where the settings go. Run setup in a directory of your own.`,
      { cause: error },
    );
  }
}

/** Whoever made the link would choose the file that is read and replaced. @throws {Error} */
function requireNoLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error(
      `${file} is a link, and setup follows none. Put the file itself here, or start setup in another directory.`,
    );
}

/** Writes the files, and says what is left to do. */
export function keepApp(app: NewApp, enterprise: Enterprise): readonly string[] {
  writeKey(KEY_FILE, app.privateKey);
  changeEnvFile(ENV_FILE, settingsOf(app, enterprise));
  const { MODEL: model = '' } = settingsIn(ENV_FILE);
  return model === '' ? [NO_MODEL, ...NEXT] : NEXT;
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

const NO_MODEL = `Set \`MODEL\` and the key of its provider in \`${ENV_FILE}\`, such as \`MODEL=openai:gpt-5.4\` and \`OPENAI_API_KEY\`.`;

const NEXT = [
  `Start the service: \`${spellCommand('start')}\`.`,
  `Put the label \`issuewright\` on an issue. In a repository without it, \`${spellCommand('doctor')} --fix\` creates it.`,
  `If something does not work, run \`${spellCommand('doctor')}\`.`,
];

const OWNER_ONLY = 0o600;

/** Settings by name; `undefined` removes one. */
type EnvChanges = Readonly<Record<string, string | undefined>>;

/** A setting, whose value in quotes may have several lines; or any other line. */
const STATEMENT =
  /[^\S\n]*(?:export[^\S\n]+)?(\w+)[^\S\n]*=[^\S\n]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*(?:\n|$)|[^\n]+(?:\n|$)|\n/g;

/** The text of an `.env` file with these settings. All others stay as they are. */
export function changeSettings(text: string, changes: EnvChanges): string {
  const left = new Map(Object.entries(changes));
  const taken = (name: string): string => {
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? '' : `${name}=${envValue(name, value)}\n`;
  };
  const kept = text.replaceAll(STATEMENT, (statement, name: string | undefined) =>
    name !== undefined && Object.hasOwn(changes, name) ? taken(name) : statement,
  );
  const end = kept === '' || kept.endsWith('\n') ? '' : '\n';
  return [kept, end, ...[...left.keys()].map(taken)].join('');
}

/** What every reader of such files takes as it is: some do not remove quotes. */
const PLAIN = /^[\w.:/@+=,*-]*$/;

/** As one value, whatever is in it. @throws {Error} if no reader could take it so */
function envValue(name: string, value: string): string {
  if (PLAIN.test(value)) return value;
  const quote = ["'", '"', '`'].find((sign) => !value.includes(sign));
  const isEscaped = quote === '"' && value.includes('\\');
  if (quote === undefined || isEscaped || /\p{Cc}/u.test(value))
    throw new Error(
      `${name} cannot be written into a settings file: it has signs that end a value.`,
    );
  return quote + value + quote;
}

const settingsIn = (file: string): Readonly<Record<string, string | undefined>> =>
  existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};

/** Writes the settings into an `.env` file. What was there is kept beside it, as `.env.old`. */
export function changeEnvFile(file: string, changes: EnvChanges): void {
  requireNoLink(file);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before !== '') writePrivately(`${file}.old`, before);
  writePrivately(file, changeSettings(before, changes));
}

/** Keeps a key that is there as `.old`: GitHub never shows it again. */
function writeKey(file: string, pem: string): void {
  if (existsSync(file)) writePrivately(`${file}.old`, readFileSync(file, 'utf8'));
  writePrivately(file, pem);
}

/** The file has all of the text or is as before, and nobody else can read it at any time. A link is replaced, not followed. */
function writePrivately(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.new`;
  const handle = openSync(temporary, 'wx', OWNER_ONLY);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}

// The files that setup writes: settings and key, for their owner alone.
import {
  existsSync,
  fsyncSync,
  openSync,
  closeSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { parseEnv } from 'node:util';

const OWNER_ONLY = 0o600;

/** Settings by name; `undefined` removes one. */
export type EnvChanges = Readonly<Record<string, string | undefined>>;

/** A setting, whose value in quotes may have several lines; or any other line. */
const STATEMENT =
  /[^\S\n]*(?:export[^\S\n]+)?(\w+)[^\S\n]*=[^\S\n]*(?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*(?:\n|$)|[^\n]+(?:\n|$)|\n/g;

/** The text of an `.env` file with these settings. All others stay as they are. */
export function withSettings(text: string, changes: EnvChanges): string {
  const left = new Map(Object.entries(changes));
  const taken = (name: string): string => {
    const value = left.get(name);
    left.delete(name);
    return value === undefined ? '' : `${name}=${value}\n`;
  };
  const kept = text.replaceAll(STATEMENT, (statement, name: string | undefined) =>
    name !== undefined && Object.hasOwn(changes, name) ? taken(name) : statement,
  );
  const end = kept === '' || kept.endsWith('\n') ? '' : '\n';
  return [kept, end, ...[...left.keys()].map(taken)].join('');
}

export const settingsIn = (file: string): Readonly<Record<string, string | undefined>> =>
  existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};

/** Writes the settings into an `.env` file. What was there is kept beside it, as `.env.old`. */
export function changeEnvFile(file: string, changes: EnvChanges): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (before !== '') writePrivately(`${file}.old`, before);
  writePrivately(file, withSettings(before, changes));
}

/** Keeps a key that is there as `.old`: GitHub never shows it again. */
export function writeKey(file: string, pem: string): void {
  if (existsSync(file)) writePrivately(`${file}.old`, readFileSync(file, 'utf8'));
  writePrivately(file, pem);
}

/** The file has all of the text or is as before, and nobody else can read it at any time. */
function writePrivately(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const temporary = `${target}.${process.pid}.new`;
  const handle = openSync(temporary, 'wx', OWNER_ONLY);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, target);
}

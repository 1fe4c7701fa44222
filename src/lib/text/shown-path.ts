import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { hasCredential } from './redact-patterns.ts';

const LONGEST = 1000;
/** Too short to be a secret. */
const PLAIN_NAME = /^\/?[a-z]{1,8}$/;
const FILE_NAME = /^[\w./ @~-]+\.(?:pem|key|json)$/;

/**
 * The whole path that a setting names, only if it surely is one: people paste secrets into the wrong variable. Any
 * word names a file of this directory, and of the root.
 */
export function shownSettingPath(setting: string): string | undefined {
  const path = setting.trim();
  if (/[\n\0]/.test(path) || path.length > LONGEST) return undefined;
  if (hasCredential(path)) return undefined;
  const isPath = PLAIN_NAME.test(path) || FILE_NAME.test(path) || isBelowDirectory(path);
  return isPath ? resolve(path) : undefined;
}

/** Names one that exists, other than the root. */
function isBelowDirectory(path: string): boolean {
  for (let at = dirname(path); at !== '/' && at !== '.'; at = dirname(at))
    if (statSync(at, { throwIfNoEntry: false })?.isDirectory() === true) return true;
  return false;
}

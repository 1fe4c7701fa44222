import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from '../lib/errors.ts';
import { makeDirectories } from '../lib/directories.ts';
import { reasonOf } from '../lib/reason.ts';

const FILE = 'pages-token';

/** What a token may be: it travels in an address and in a cookie. */
export const PAGES_TOKEN = /^[\w-]{32,128}$/;

/**
 * The token of the session pages, made at the first start and kept in the data directory: the cookies and the
 * printed link stay valid when the service restarts. Deleting the file makes a new one.
 */
export function keptPagesToken(dataDir: string): string {
  const file = path.join(dataDir, FILE);
  try {
    const kept = readKept(file);
    if (kept !== undefined) return kept;
    const token = randomBytes(32).toString('base64url');
    makeDirectories(dataDir, 0o700);
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    throw new Error(
      `The token of the session pages cannot be kept in DATA_DIR: ${reasonOf(error)}. Set DATA_DIR to a directory that the service can write to, or set PAGES_TOKEN.`,
      { cause: error },
    );
  }
}

function readKept(file: string): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
  if (PAGES_TOKEN.test(text)) return text;
  throw new Error(`the file ${FILE} holds no token; delete it, and a new one is made`);
}

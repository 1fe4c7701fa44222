import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a snapshot is computed by, `src/lib` because the fold calls it. */
const FOLDERS = ['session', 'lib'];

let version: string | undefined;

/**
 * A digest of the code that computes snapshots. A stored one of another digest is not read: nobody has to remember that a
 * change of the fold makes it void.
 */
export const foldVersion = (): string => (version ??= digestOfCode());

function digestOfCode(): string {
  const source = fileURLToPath(new URL('../../', import.meta.url));
  const hash = createHash('sha256');
  for (const folder of FOLDERS) {
    const names = readdirSync(path.join(source, folder), { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((one) => one.endsWith('.ts')).toSorted())
      hash.update(`${name}\n`).update(readFileSync(path.join(source, folder, name)));
  }
  return hash.digest('hex').slice(0, 16);
}

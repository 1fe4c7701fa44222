import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { TALLY_FILE } from './tally.ts';

/** The environment of a program that starts a local GitHub itself: what passes there is checked too. */
export function checkedByImport(): Record<string, string> {
  const file = pathToFileURL(path.join(import.meta.dirname, 'check-this-process.ts')).href;
  const tally = process.env[TALLY_FILE];
  return {
    NODE_OPTIONS: `--import ${file}`,
    ...(tally === undefined ? {} : { [TALLY_FILE]: tally }),
  };
}

// How much of what local GitHubs and their clients said was compared with GitHub's descriptions, in all processes of a run.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** How often each was compared, by name. */
export interface Tally {
  readonly operations: Record<string, number>;
  readonly webhooks: Record<string, number>;
  readonly documents: Record<string, number>;
  /** Of these GitHub has no description. */
  readonly undescribed: Record<string, number>;
}

export const newTally = (): Tally => ({
  operations: {},
  webhooks: {},
  documents: {},
  undescribed: {},
});

/** The environment variable that names the file of a run, which gets a line for each local GitHub. */
export const TALLY_FILE = 'ISSUEWRIGHT_TEST_SCHEMA_TALLY';

export function writeTally(tally: Tally): void {
  const file = process.env[TALLY_FILE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(tally)}\n`);
}

/** Says in one line what the run compared so far; `undefined`: nothing. */
export function tallyLine(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const tallies = lines.map((line) => JSON.parse(line) as Tally);
  const words = (part: keyof Tally, what: string, kinds: string): string => {
    const counts = tallies.map((one) => one[part]);
    const names = new Set(counts.flatMap((one) => Object.keys(one)));
    const all = counts.flatMap((one) => Object.values(one)).reduce((sum, one) => sum + one, 0);
    return `${all} ${what} (${names.size} ${kinds})`;
  };
  return [
    `Compared with GitHub's descriptions: ${words('operations', 'requests', 'operations')}`,
    words('webhooks', 'webhooks', 'kinds'),
    words('documents', 'GraphQL documents', 'kinds'),
    words('undescribed', 'without one', 'kinds'),
  ].join(', ');
}

import { pino } from 'pino';
import { readStore } from '../config.ts';
import type { Command } from './command.ts';

const OPTION = '--from-embedded';
const USAGE = `Usage: issuewright migrate ${OPTION}, with the DATA_DIR of the embedded database and the DATABASE_URL of an empty one.`;

export const migrate: Command = {
  name: 'migrate',
  summary: `copy the embedded database of DATA_DIR to DATABASE_URL: migrate ${OPTION}`,
  run: async ({ arguments: words, environment, print }) => {
    const { databaseUrl, dataDir } = readStore(environment);
    if (words.join(' ') !== OPTION || databaseUrl === undefined) {
      print(`Nothing was changed. ${USAGE}`);
      return 1;
    }
    // The other commands start without the store.
    const { carryOver } = await import('../store/carry-over.ts');
    const log = pino({ level: 'silent' });
    const copied = await carryOver({ dataDir, databaseUrl, log });
    for (const [table, rows] of copied) print(`  ${table.padEnd(20)} ${rows}`);
    print(
      'Copied and verified. Start the service with this DATABASE_URL now, and never again with the embedded database: both would answer on GitHub.',
    );
    return 0;
  },
};

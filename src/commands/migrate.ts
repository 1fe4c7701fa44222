import { pino } from 'pino';
import { readStore } from '../config.ts';
import type { Command } from './command.ts';

const HELP = `
Stop the service first. DATA_DIR is that of the embedded database, and DATABASE_URL an empty database, which the
service uses from then on.`;

const NO_TARGET =
  'Nothing was changed. Set DATABASE_URL to an empty PostgreSQL database, and DATA_DIR to the directory of the embedded one.';

export const migrate: Command = {
  name: 'migrate',
  summary: 'copy the embedded database of DATA_DIR to DATABASE_URL',
  group: 'Operate it',
  define: (parser) =>
    parser
      .requiredOption('--from-embedded', 'what to copy: the embedded database')
      .addHelpText('after', HELP),
  run: async ({ environment, print }) => {
    const { databaseUrl, dataDir } = readStore(environment);
    if (databaseUrl === undefined) {
      print(NO_TARGET);
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

import { pino } from 'pino';
import { readStore } from '../config.ts';
import { JSON_OPTION, printOutcome, type Command } from './command.ts';

const HELP = `
Stop the service first. DATA_DIR has the embedded database. DATABASE_URL is an empty database, which the
service uses from then on.

With --json: copied, the rows of each table.`;

const NO_TARGET =
  'Nothing was changed. Set DATABASE_URL to an empty PostgreSQL database, and DATA_DIR to the directory of the embedded one.';

const DONE =
  'Copied and verified. From now on, start the service with this DATABASE_URL, never with the embedded database: both would answer on GitHub.';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'copy the embedded database of DATA_DIR to DATABASE_URL',
  group: 'Operate it',
  define: (parser) =>
    parser
      .requiredOption('--from-embedded', 'what to copy: the embedded database')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP),
  run: async (context) => {
    const { databaseUrl, dataDir } = readStore(context.environment);
    if (databaseUrl === undefined) throw new Error(NO_TARGET);
    // The other commands start without the store.
    const { carryOver } = await import('../store/carry-over.ts');
    const log = pino({ level: 'silent' });
    const copied = await carryOver({ dataDir, databaseUrl, log });
    const rows = [...copied].map(([table, count]) => `  ${table.padEnd(20)} ${count}`);
    printOutcome(context, [...rows, DONE].join('\n'), { copied: Object.fromEntries(copied) });
    return 0;
  },
};

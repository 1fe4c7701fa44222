import { resolve } from 'node:path';
import { pino } from 'pino';
import { readStore } from '../config.ts';
import { JSON_OPTION, printOutcome, type Command } from './command.ts';
import { spellCommand } from '../lib/program-name.ts';

const HELP = `
The service may run meanwhile. The file is there once it is complete, only you can read it, and it replaces none:

  ${spellCommand('backup')} /var/backups/issuewright-$(date +%F).tar.gz

To restore it: stop the service, move the old data directory away, and

  mkdir -m 700 "$DATA_DIR" && tar -xzf FILE -C "$DATA_DIR"

With --json: file, and its size in bytes.`;

/** What is in it, and what is not. */
const CONTENT =
  'It has private code, prompts, and the token that opens the session pages: keep it as you keep the code. It has no keys of the App or of models (.env, private-key.pem): keep those elsewhere.';

const OF_SERVER =
  'Nothing was written: with DATABASE_URL, the data is in that server. Make the backup with `pg_dump --format=custom --no-owner --file=issuewright.dump "$DATABASE_URL"`.';

export const backup: Command = {
  name: 'backup',
  summary: 'write a backup of the embedded database, while the service runs',
  group: 'Operate it',
  define: (parser) =>
    parser
      .argument('<file>', 'what to write, such as issuewright.tar.gz')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP),
  run: async (context) => {
    const { databaseUrl, dataDir } = readStore(context.environment);
    if (databaseUrl !== undefined) throw new Error(OF_SERVER);
    const file = resolve(context.arguments[0] ?? '');
    // The other commands start without the store.
    const { backUp } = await import('../store/backup.ts');
    const size = await backUp({ dataDir, file, log: pino({ level: 'silent' }) });
    const megabytes = (size / 1e6).toFixed(1);
    printOutcome(context, `Wrote ${file} (${megabytes} MB). ${CONTENT}`, { file, bytes: size });
    return 0;
  },
};

// The commands of whoever operates a service: pause and resume it, and what becomes of its database.
import { resolve } from 'node:path';
import { pino } from 'pino';
import { readConfig, readStore, secretsOf, type Environment } from '../config.ts';
import { JSON_OPTION, printOutcome, type Command } from './command.ts';
import { spellCommand } from '../lib/program-name.ts';
import { messageOf } from '../lib/errors.ts';
import { createRedactor } from '../lib/text/redact.ts';
import type { ControlAction } from '../store/control.ts';

const MAX_REASON_LENGTH = 300;

const PAUSED = 'Paused: each run stops at its next step.';
const PAUSED_WITHOUT_SERVICE =
  'Paused, but no service uses this database now. One that starts with it will be paused. If a service is running, it uses another DATA_DIR or DATABASE_URL: run this command with those.';
const PAUSE_HELP = `
With --json: paused, the reason, and serviceRunning: whether a service is connected to this database.`;
const RESUME_HELP = `
With --json: paused, wasPaused, and serviceRunning: whether a service is connected to this database.`;

const TO_RESUME = `To resume, run \`${spellCommand('resume')}\`.`;

export const pause: Command = {
  name: 'pause',
  summary: 'pause the service: webhooks are stored, and handled after resume',
  group: 'Operate it',
  define: (parser) =>
    parser
      .argument('[reason...]', 'why, for the status comments and /readyz')
      .option(...JSON_OPTION)
      .addHelpText('after', PAUSE_HELP),
  run: async (context) => {
    const { arguments: words, environment } = context;
    const text = words.join(' ').replaceAll(/\s+/g, ' ').trim();
    const reason = text.slice(0, MAX_REASON_LENGTH).toWellFormed();
    const isInUse = await controlService(environment, async (service) => {
      await service.pause(reason);
      return service.isInUse();
    });
    const said = `${isInUse ? PAUSED : PAUSED_WITHOUT_SERVICE} ${TO_RESUME}`;
    printOutcome(context, said, { paused: true, reason, serviceRunning: isInUse });
    return 0;
  },
};

export const resume: Command = {
  name: 'resume',
  summary: 'resume a paused service',
  group: 'Operate it',
  define: (parser) => parser.option(...JSON_OPTION).addHelpText('after', RESUME_HELP),
  run: async (context) => {
    const [wasPaused, isInUse] = await controlService(context.environment, async (service) => [
      await service.resume(),
      await service.isInUse(),
    ]);
    const said = wasPaused ? 'Resumed.' : 'The service was not paused.';
    printOutcome(context, said, { paused: false, wasPaused, serviceRunning: isInUse });
    return 0;
  },
};

/** Loads the store only now, so that the other commands start without it. */
async function controlService<T>(environment: Environment, act: ControlAction<T>) {
  const store = { ...readStore(environment), log: pino({ level: 'silent' }) };
  return (await import('../store/control.ts')).control(store, act);
}

const HELP_OF_BACKUP = `
The service may run meanwhile. The file is there once it is complete, only you can read it, and it replaces none:

  ${spellCommand('backup')} /var/backups/issuewright-$(date +%F).tar.gz

To restore it: stop the service, move the old data directory away, and as the service's user run what follows. If the service
has a user of its own, docs/team-server.md has the commands.

  mkdir -m 700 "$DATA_DIR" && tar -xzf FILE -C "$DATA_DIR"

With --json: file, and its size in bytes.`;

/** What is in it, and what is not. */
const CONTENT =
  'It has private code, prompts, and the token that opens the session pages: keep it as you keep the code. It has no App or model keys (.env, private-key.pem): keep those elsewhere.';

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
      .addHelpText('after', HELP_OF_BACKUP),
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

const HELP_OF_MIGRATE = `
Stop the service first. DATA_DIR has the embedded database. DATABASE_URL is an empty database, which the
service uses from then on.

With --json: copied, the rows of each table.`;

const NO_TARGET =
  'Nothing was changed. Set DATABASE_URL to an empty PostgreSQL database, and DATA_DIR to the directory of the embedded one.';

const MIGRATED =
  'Copied and verified. From now on, start the service with this DATABASE_URL, never with the embedded database: both would answer on GitHub.';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'copy the embedded database of DATA_DIR to DATABASE_URL',
  group: 'Operate it',
  define: (parser) =>
    parser
      .requiredOption('--from-embedded', 'what to copy: the embedded database')
      .option(...JSON_OPTION)
      .addHelpText('after', HELP_OF_MIGRATE),
  run: async (context) => {
    const { databaseUrl, dataDir } = readStore(context.environment);
    if (databaseUrl === undefined) throw new Error(NO_TARGET);
    // The other commands start without the store.
    const { carryOver } = await import('../store/carry-over.ts');
    const log = pino({ level: 'silent' });
    const copied = await carryOver({ dataDir, databaseUrl, log });
    const rows = [...copied].map(([table, count]) => `  ${table.padEnd(20)} ${count}`);
    printOutcome(context, [...rows, MIGRATED].join('\n'), { copied: Object.fromEntries(copied) });
    return 0;
  },
};

const HELP_OF_ADOPT = `
A service with a new database does not start if GitHub has status comments of its App that the database does not know:
the sessions are in another database, and what people requested would be worked on twice. Set DATA_DIR or DATABASE_URL
to that database, or restore its backup. Only if it is lost, use this command, and start the service again.

It marks what people have done so far as handled, so that only what they do from then on counts. Nothing changes on
GitHub: status comments and pull requests of the lost sessions stay as they are. An older request is worked on once
someone adds the label again or mentions the App there.

With --json: adopted, and passedOver: how many webhooks that did not arrive will not be read.`;

const ADOPTED_BEFORE =
  'Nothing was changed: a service has worked with this database, and continues with it.';

export const adopt: Command = {
  name: 'adopt',
  summary: 'begin with a new database, after the one with the sessions was lost',
  group: 'Operate it',
  define: (parser) => parser.option(...JSON_OPTION).addHelpText('after', HELP_OF_ADOPT),
  run: async (context) => {
    const config = readConfig(context.environment);
    const redactor = createRedactor(secretsOf(config));
    const log = pino({ level: 'silent' });
    // The other commands start without all that this needs.
    const [{ control }, { createGitHub }, { adoptDatabase }] = await Promise.all([
      import('../store/control.ts'),
      import('../github/index.ts'),
      import('../app/receive/earlier-work.ts'),
    ]);
    const github = createGitHub({ ...config.github, log, redactor });
    const passedOver = await control({ ...config.store, log }, ({ missed }) =>
      // What GitHub says is not to be taken for a fault of the database.
      adoptDatabase({ github, store: { missed }, log }).catch(
        (cause: unknown) => new Error(`Nothing was adopted: ${messageOf(cause)}`, { cause }),
      ),
    );
    if (passedOver instanceof Error) throw passedOver;
    const isAdopted = passedOver !== undefined;
    printOutcome(context, isAdopted ? adopted(passedOver) : ADOPTED_BEFORE, {
      adopted: isAdopted,
      passedOver: passedOver ?? 0,
    });
    return 0;
  },
};

const adopted = (passedOver: number): string =>
  [
    'Adopted: what people do from now on counts, and nothing before it.',
    ...(passedOver === 0 ? [] : [`Webhooks that did not arrive, and are not read: ${passedOver}.`]),
    'Start the service. To have an older request worked on, add its label again or mention the App there.',
  ].join(' ');

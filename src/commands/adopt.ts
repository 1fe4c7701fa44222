import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { secretsOf } from '../config/secrets.ts';
import { messageOf } from '../lib/errors.ts';
import { createRedactor } from '../lib/text/redact.ts';
import { JSON_OPTION, printOutcome, type Command } from './command.ts';

const HELP = `
A service with a new database does not start if GitHub has status comments of its App that the database does not know:
the sessions are in another database, and what people requested would be worked on twice. Set DATA_DIR or DATABASE_URL
to that database, or restore its backup. Only if it is lost, use this command, and start the service again.

It marks what people have done so far as handled, so that only what they do from then on counts. Nothing changes on
GitHub: status comments and pull requests of the lost sessions stay as they are. An older request is worked on once
someone adds the label again or mentions the App there.

With --json: adopted, and passedOver: how many webhooks that did not arrive will not be read.`;

const ALREADY =
  'Nothing was changed: a service has worked with this database, and continues with it.';

export const adopt: Command = {
  name: 'adopt',
  summary: 'begin with a new database, after the one with the sessions was lost',
  group: 'Operate it',
  define: (parser) => parser.option(...JSON_OPTION).addHelpText('after', HELP),
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
    printOutcome(context, isAdopted ? adopted(passedOver) : ALREADY, {
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

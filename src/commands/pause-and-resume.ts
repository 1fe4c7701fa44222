import { pino } from 'pino';
import { readStore, type Environment } from '../config.ts';
import type { Act } from '../store/control.ts';
import { JSON_OPTION, printOutcome, type Command } from './command.ts';
import { spellCommand } from '../lib/program-name.ts';

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
    const isInUse = await control(environment, async (service) => {
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
    const [wasPaused, isInUse] = await control(context.environment, async (service) => [
      await service.resume(),
      await service.isInUse(),
    ]);
    const said = wasPaused ? 'Resumed.' : 'The service was not paused.';
    printOutcome(context, said, { paused: false, wasPaused, serviceRunning: isInUse });
    return 0;
  },
};

/** Loads the store only now, so that the other commands start without it. */
async function control<T>(environment: Environment, act: Act<T>) {
  const store = { ...readStore(environment), log: pino({ level: 'silent' }) };
  return (await import('../store/control.ts')).control(store, act);
}

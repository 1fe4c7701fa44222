import { pino } from 'pino';
import { readStore, type Environment } from '../config.ts';
import { control } from '../store/control.ts';
import type { Command } from './command.ts';

const MAX_REASON_LENGTH = 300;

export const pause: Command = {
  name: 'pause',
  summary: 'pause the service: pause [REASON]; new webhooks are stored and handled after resume',
  run: async ({ arguments: words, environment, print }) => {
    const text = words.join(' ').replaceAll(/\s+/g, ' ').trim();
    const reason = text.slice(0, MAX_REASON_LENGTH).toWellFormed();
    await control(storeOptions(environment), (service) => service.pause(reason));
    print(
      'Paused: each run stops at its next step. To resume, run `issuewright resume` (`npm run resume`).',
    );
    return 0;
  },
};

export const resume: Command = {
  name: 'resume',
  summary: 'resume a paused service',
  run: async ({ environment, print }) => {
    const wasPaused = await control(storeOptions(environment), (service) => service.resume());
    print(wasPaused ? 'Resumed.' : 'The service was not paused.');
    return 0;
  },
};

const storeOptions = (environment: Environment) => ({
  ...readStore(environment),
  log: pino({ level: 'silent' }),
});

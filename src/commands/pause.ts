import { pino } from 'pino';
import { readStore } from '../config.ts';
import { control } from '../store/control.ts';
import type { Command } from './command.ts';

const LONGEST = 300;
const NO_REASON = 'no reason given';

export const pause: Command = {
  name: 'pause',
  summary: 'pause the running service: pause [REASON]; new deliveries are kept for later',
  run: async ({ arguments: words, environment, print }) => {
    const reason = words.join(' ').replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST).toWellFormed();
    const options = { ...readStore(environment), log: pino({ level: 'silent' }) };
    await control(options, (service) => service.pause(reason === '' ? NO_REASON : reason));
    print('Paused. Each run stops at its next step. To continue: issuewright resume');
    return 0;
  },
};

import { pino } from 'pino';
import { readStore } from '../config.ts';
import { control } from '../store/control.ts';
import type { Command } from './command.ts';

export const resume: Command = {
  name: 'resume',
  summary: 'resume a paused service',
  run: async ({ environment, print }) => {
    const options = { ...readStore(environment), log: pino({ level: 'silent' }) };
    const wasPaused = await control(options, (service) => service.resume());
    print(wasPaused ? 'Resumed.' : 'The service was not paused.');
    return 0;
  },
};

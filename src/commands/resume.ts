import { pino } from 'pino';
import { readStore } from '../config.ts';
import { control } from '../store/control.ts';
import type { Command } from './command.ts';

export const resume: Command = {
  name: 'resume',
  summary: 'let a service that was paused go on',
  run: async ({ environment, print }) => {
    const options = { ...readStore(environment), log: pino({ level: 'silent' }) };
    const wasPaused = await control(options, (service) => service.resume());
    print(wasPaused ? 'The work goes on.' : 'It was not paused.');
    return 0;
  },
};

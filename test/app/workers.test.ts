import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { startWorkers } from '../../src/app/workers.ts';

type Common = Parameters<typeof startWorkers>[0];

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('a process looks every second for sessions whose time has come, and every five seconds for lost wake-ups', async () => {
  const looks: string[] = [];
  const due: Common['store']['due'] = async (_now, which = 'all') => {
    looks.push(which);
    return { advance: 0, publish: 0 };
  };
  const common = {
    store: { due },
    pause: { look: async () => {} },
    queue: { stop: async () => {} },
    log: pino({ level: 'silent' }),
  } as unknown as Common;
  const workers = await startWorkers(common, { sessions: undefined, publications: undefined });
  await jest.advanceTimersByTimeAsync(11_000);
  const others = Array.from({ length: 4 }, () => 'timers');
  expect(looks).toEqual(['all', ...others, 'all', ...others, 'all']);
  await workers.stop({ graceMs: 0 });
});

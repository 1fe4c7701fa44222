// When missed events are looked for.
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { MissedWatch } from '../../../src/app/receive/missed-watch.ts';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';

const MINUTE = 60_000;
let looks: PromiseWithResolvers<number>[] = [];
/** Which looks compared everything. */
let thorough: boolean[] = [];
let status = 202;
let watch: MissedWatch;

beforeEach(() => {
  jest.useFakeTimers();
  looks = [];
  thorough = [];
  status = 202;
  watch = new MissedWatch({
    receive: async () => ({ status, message: '' }),
    look: (_signal, isThorough) => {
      thorough.push(isThorough);
      const look = Promise.withResolvers<number>();
      looks.push(look);
      return look.promise;
    },
    log: pino({ level: 'silent' }),
  });
  watch.start();
});
afterEach(async () => {
  looks.at(-1)?.resolve(0);
  await watch.stop();
  jest.useRealTimers();
});

const after = (ms: number) => jest.advanceTimersByTimeAsync(ms);
const deliver = (event = 'issues') => watch.receive({ id: 'd', event, rawBody: Buffer.from('{}') });
async function ended(ms = 0): Promise<void> {
  looks.at(-1)?.resolve(0);
  await after(ms);
}

describe('missed events', () => {
  it('are looked for at the start and then every five minutes', async () => {
    expect(looks).toHaveLength(1);
    await ended(5 * MINUTE - 1);
    expect(looks).toHaveLength(1);
    await after(1);
    expect(looks).toHaveLength(2);
  });

  it('come before what is delivered during the first look, for eight seconds at most', async () => {
    const answers: number[] = [];
    void deliver().then((answer) => answers.push(answer.status));
    await after(7_999);
    expect(answers).toEqual([]);
    await after(1);
    expect(answers).toEqual([202]);
    void deliver().then((answer) => answers.push(answer.status));
    await ended();
    expect(answers).toEqual([202, 202]);
  });

  it('are looked for soon after a delivery that this service failed to receive', async () => {
    await ended(10);
    status = 500;
    await deliver();
    await deliver();
    await after(5_000);
    expect(looks).toHaveLength(2);
    await ended(60_000);
    expect(looks).toHaveLength(2);
  });

  it('are looked for soon, in everything, when a tunnel may have lost some', async () => {
    await ended(10);
    watch.lookSoon();
    watch.lookSoon();
    await after(5_000);
    expect(thorough).toEqual([true, true]);
  });

  it('are compared every five minutes at most for a tunnel that breaks all the time', async () => {
    await ended(10);
    for (let seconds = 0; seconds < 3_500; seconds += 100) {
      watch.lookSoon();
      await after(5_000);
      await ended(95_000);
    }
    // The one at the start, and those that were asked for: one at once, and one every five minutes.
    const count = thorough.filter(Boolean).length;
    expect(count).toBeGreaterThanOrEqual(11);
    expect(count).toBeLessThanOrEqual(13);
    expect(looks.length).toBeLessThanOrEqual(14);
  });

  it('are looked for when deliveries come again after a pause', async () => {
    await ended(60_000);
    await deliver();
    await after(10_000);
    expect(looks).toHaveLength(1);
    await after(2 * MINUTE);
    await deliver();
    await after(5_000);
    expect(looks).toHaveLength(2);
  });

  it.each([
    ['does not answer', new TryLater('away'), 30_000],
    ['denies it', new TellPerson('no such App'), 5 * MINUTE],
  ])('are looked for again if GitHub %s', async (_name, error, ms) => {
    looks.at(-1)?.reject(error);
    await after(ms - 1);
    expect(looks).toHaveLength(1);
    await after(1);
    expect(looks).toHaveLength(2);
  });

  it('are compared with GitHub at the start, and once an hour', async () => {
    for (let minutes = 0; minutes <= 60; minutes += 5) await ended(5 * MINUTE);
    expect(thorough.map((one, at) => [one, at * 5]).filter(([one]) => one)).toEqual([
      [true, 0],
      [true, 60],
    ]);
  });

  it('are compared with GitHub when an installation changed', async () => {
    await ended(MINUTE);
    await deliver('installation');
    await after(5_000);
    expect(thorough).toEqual([true, true]);
  });

  it('are compared again if that failed', async () => {
    looks.at(-1)?.reject(new TryLater('away'));
    await after(30_000);
    expect(thorough).toEqual([true, true]);
  });

  it('are not looked for any more when the service stops', async () => {
    await ended();
    await watch.stop();
    await after(10 * MINUTE);
    expect(looks).toHaveLength(1);
  });
});

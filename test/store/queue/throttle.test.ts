import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { throttled } from '../../../src/store/queue/wakes.ts';

const INTERVAL_MS = 50;

describe('what is throttled', () => {
  const done: string[] = [];
  let throttle: ReturnType<typeof throttled>;
  const begin = (act = (key: string) => Promise.resolve(void done.push(key))) => {
    done.length = 0;
    throttle = throttled(INTERVAL_MS, act);
  };
  const after = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  beforeEach(() => void jest.useFakeTimers());
  afterEach(async () => {
    await throttle.close();
    jest.useRealTimers();
  });

  it('is done at once, and once more for all that was asked for soon after', async () => {
    begin();
    for (let times = 0; times < 20; times += 1) throttle.ask('a');
    expect(done).toEqual(['a']);
    await after(INTERVAL_MS - 1);
    expect(done).toEqual(['a']);
    await after(1);
    expect(done).toEqual(['a', 'a']);
    throttle.ask('a');
    expect(done).toEqual(['a', 'a']);
    await after(INTERVAL_MS);
    expect(done).toEqual(['a', 'a', 'a']);
  });

  it('is done at once again after an interval without calls', async () => {
    begin();
    throttle.ask('a');
    throttle.ask('b');
    expect(done).toEqual(['a', 'b']);
    throttle.ask('a');
    await after(2 * INTERVAL_MS);
    expect(done).toEqual(['a', 'b', 'a']);
    throttle.ask('b');
    expect(done).toEqual(['a', 'b', 'a', 'b']);
  });

  it('is done at once when it is closed, which waits for that, and then no more', async () => {
    const end = Promise.withResolvers<void>();
    begin(async (key) => {
      await end.promise;
      done.push(key);
    });
    throttle.ask('a');
    throttle.ask('a');
    const closed = throttle.close().then(() => done.push('closed'));
    end.resolve();
    await closed;
    throttle.ask('b');
    expect(done).toEqual(['a', 'a', 'closed']);
  });
});

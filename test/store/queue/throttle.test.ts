import { afterEach, describe, expect, it } from '@jest/globals';
import { Throttle } from '../../../src/store/queue/throttle.ts';
import { until } from '../../contract/store-world.ts';

const INTERVAL_MS = 50;

describe('what is throttled', () => {
  const done: string[] = [];
  let throttle: Throttle;
  const begin = (act = (key: string) => Promise.resolve(void done.push(key))) => {
    done.length = 0;
    throttle = new Throttle(INTERVAL_MS, act);
  };
  afterEach(() => throttle.close());

  it('is done at once, and once more for all that was asked for soon after', async () => {
    begin();
    const started = performance.now();
    for (let times = 0; times < 20; times += 1) throttle.ask('a');
    expect(done).toEqual(['a']);
    await until('done again', () => done.length === 2);
    expect(performance.now() - started).toBeGreaterThan(INTERVAL_MS - 5);
    throttle.ask('a');
    expect(done).toEqual(['a', 'a']);
    await until('done a third time', () => done.length === 3);
  });

  it('is done at once again after an interval without calls', async () => {
    begin();
    throttle.ask('a');
    throttle.ask('b');
    expect(done).toEqual(['a', 'b']);
    throttle.ask('a');
    await until('the interval after the second time is over', () => {
      if (done.length === 3) throttle.ask('b');
      return done.length >= 4;
    });
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

import { describe, expect, it } from '@jest/globals';
import { KeyedMutex } from '../../src/lib/keyed-mutex.ts';

/** Runs work that ends when the test resolves it. `events`: what has started, in order. */
function start() {
  const mutex = new KeyedMutex();
  const events: string[] = [];
  const run = (key: string | readonly string[], name: string) => {
    const gate = Promise.withResolvers<string>();
    const result = mutex.run(key, async () => {
      events.push(name);
      return gate.promise;
    });
    return { ...gate, result };
  };
  return { run, events, mutex };
}

describe('a keyed mutex', () => {
  it('runs work with the same key in the order of the calls, and each call gets its own result', async () => {
    const { run, events } = start();
    const [first, second, third] = [run('a', 'first'), run('a', 'second'), run('a', 'third')];
    expect(events).toEqual(['first']);
    first.resolve('1');
    await expect(first.result).resolves.toBe('1');
    second.resolve('2');
    third.resolve('3');
    await expect(Promise.all([second.result, third.result])).resolves.toEqual(['2', '3']);
    expect(events).toEqual(['first', 'second', 'third']);
  });

  it('runs work with different keys at the same time', () => {
    const { run, events } = start();
    run('a', 'first');
    run('b', 'second');
    expect(events).toEqual(['first', 'second']);
  });

  it('runs work with several keys after all that has one of them, and before what comes later', async () => {
    const { run, events, mutex } = start();
    const [a, b] = [run('a', 'a'), run('b', 'b')];
    const both = run(['a', 'b'], 'both');
    const later = run('b', 'later');
    b.resolve('');
    await b.result;
    expect(events).toEqual(['a', 'b']);
    a.resolve('');
    both.resolve('');
    await both.result;
    later.resolve('');
    await mutex.idle();
    expect(events).toEqual(['a', 'b', 'both', 'later']);
  });

  it('continues after work has failed, and only the caller of that work gets the error', async () => {
    const { run, events } = start();
    const [first, second] = [run('a', 'first'), run('a', 'second')];
    first.reject(new Error('it failed'));
    await expect(first.result).rejects.toThrow('it failed');
    second.resolve('2');
    await expect(second.result).resolves.toBe('2');
    const third = run('a', 'third');
    third.resolve('3');
    await expect(third.result).resolves.toBe('3');
    expect(events).toEqual(['first', 'second', 'third']);
  });
});

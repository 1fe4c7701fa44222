import { describe, expect, it } from '@jest/globals';
import { Turns } from '../../src/lib/turns.ts';

/** What is done by `take`, and when it may end. */
function worker() {
  const turns = new Turns();
  const events: string[] = [];
  const take = (key: string, name: string) => {
    const gate = Promise.withResolvers<string>();
    const taken = turns.take(key, async (hasWaited) => {
      events.push(`${name}${hasWaited ? ' after others' : ''}`);
      return gate.promise;
    });
    return { ...gate, taken };
  };
  return { take, events };
}

describe('turns', () => {
  it('go one after another for a key, in the order of asking, and each has its own result', async () => {
    const { take, events } = worker();
    const [first, second, third] = [take('a', 'first'), take('a', 'second'), take('a', 'third')];
    expect(events).toEqual(['first']);
    first.resolve('1');
    await expect(first.taken).resolves.toBe('1');
    second.resolve('2');
    third.resolve('3');
    await expect(Promise.all([second.taken, third.taken])).resolves.toEqual(['2', '3']);
    expect(events).toEqual(['first', 'second after others', 'third after others']);
  });

  it('go at once for different keys', () => {
    const { take, events } = worker();
    take('a', 'first');
    take('b', 'second');
    expect(events).toEqual(['first', 'second']);
  });

  it('go on after one has failed, which its caller hears and no other', async () => {
    const { take, events } = worker();
    const [first, second] = [take('a', 'first'), take('a', 'second')];
    first.reject(new Error('it failed'));
    await expect(first.taken).rejects.toThrow('it failed');
    second.resolve('2');
    await expect(second.taken).resolves.toBe('2');
    const third = take('a', 'third');
    third.resolve('3');
    await expect(third.taken).resolves.toBe('3');
    expect(events).toEqual(['first', 'second after others', 'third']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { Groups } from '../../src/store/groups.ts';

const LIMITS = { count: 3, restMs: 0 };

/** Groups whose calls end when the test says so. */
function controlled() {
  const calls: string[][] = [];
  let end = (): void => {};
  let begun = Promise.withResolvers<void>();
  const groups = new Groups<string>(async (group) => {
    calls.push([...group]);
    begun.resolve();
    await new Promise<void>((resolve) => (end = resolve));
  }, LIMITS);
  const next = async (): Promise<string[]> => {
    await begun.promise;
    begun = Promise.withResolvers();
    return calls.at(-1) ?? [];
  };
  return { groups, next, end: () => end(), calls };
}

describe('items in groups', () => {
  it('go together if they come in one turn, or while the group before is under way', async () => {
    const { groups, next, end } = controlled();
    groups.add('a');
    groups.add('b');
    expect(await next()).toEqual(['a', 'b']);
    groups.add('c');
    await new Promise(setImmediate);
    groups.add('d');
    end();
    expect(await next()).toEqual(['c', 'd']);
    end();
    await groups.idle();
    groups.add('e');
    expect(await next()).toEqual(['e']);
    end();
    await groups.idle();
  });

  it('are no more than allowed, and in their order', async () => {
    const { groups, next, end } = controlled();
    for (const item of ['a', 'b', 'c', 'd']) groups.add(item);
    expect(await next()).toEqual(['a', 'b', 'c']);
    end();
    expect(await next()).toEqual(['d']);
    end();
    await groups.idle();
  });

  it('gather while there is a rest between groups', async () => {
    const calls: string[][] = [];
    const act = async (group: readonly string[]) => void calls.push([...group]);
    const groups = new Groups<string>(act, { ...LIMITS, restMs: 20 });
    groups.add('a');
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const begun = performance.now();
    groups.add('b');
    await new Promise(setImmediate);
    groups.add('c');
    await groups.idle();
    expect(calls).toEqual([['a'], ['b', 'c']]);
    expect(performance.now() - begun).toBeGreaterThan(20);
  });
});

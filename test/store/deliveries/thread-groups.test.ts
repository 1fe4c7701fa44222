import { describe, expect, it } from '@jest/globals';
import { keysOf, takeGroup, type Keys } from '../../../src/store/deliveries/thread-groups.ts';
import { comment, delivery, newRepository } from '../../contract/store-world.ts';

const happens = newRepository();

/** A comment, or a label, on an issue; `marks`: those that it has besides its own. */
function item(name: string, number: number, { opens = false, marks = [] as string[] } = {}) {
  const arrival = happens({ number, ...(opens ? {} : { intent: comment(name) }) });
  const own = keysOf(arrival, delivery());
  const keys: Keys = { ...own, marks: [...own.marks, ...marks] };
  return { name, received: name, keys };
}

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

function taken(waiting: ReturnType<typeof item>[], underWay: ReturnType<typeof item>[] = []) {
  const { group, rest } = takeGroup(waiting, underWay);
  return [names(group), names(rest)];
}

describe('the next group of deliveries', () => {
  it('has all that wait, of one thread and of many', () => {
    expect(taken([item('a', 1), item('b', 1), item('c', 2)])).toEqual([['a', 'b', 'c'], []]);
  });

  it('has nothing of a thread after what may open its session', () => {
    const waiting = [item('a', 1), item('b', 1, { opens: true }), item('c', 1), item('d', 2)];
    expect(taken(waiting)).toEqual([['a', 'b', 'd'], ['c']]);
  });

  it('has no two that may be the same, and nothing overtakes in a thread', () => {
    const marks = ['same'];
    const waiting = [item('a', 1, { marks }), item('b', 2, { marks }), item('c', 2), item('d', 3)];
    expect(taken(waiting)).toEqual([
      ['a', 'd'],
      ['b', 'c'],
    ]);
  });

  it('has nothing of a thread, and nothing that may be the same, of which something is under way', () => {
    const marks = ['same'];
    const underWay = [item('x', 1), item('y', 5, { marks })];
    const waiting = [item('a', 1), item('b', 2), item('c', 3, { marks }), item('d', 3)];
    expect(taken(waiting, underWay)).toEqual([['b'], ['a', 'c', 'd']]);
  });

  it('is limited by number and by length, but not below one', () => {
    const many = Array.from({ length: 201 }, (_, index) => item(String(index), index + 1));
    expect(takeGroup(many, []).group).toHaveLength(200);
    const long = { ...item('long', 1), received: 'x'.repeat(5_000_000) };
    expect(taken([long, item('a', 2)])).toEqual([['long'], ['a']]);
    expect(taken([item('a', 2), long])).toEqual([['a'], ['long']]);
  });

  it('knows the issue of a pull request', () => {
    const onPull = happens({ number: 7, intent: comment('p') });
    const arrival = { ...onPull, thread: { on: 'pull_request', number: 7, issue: 1 } as const };
    const pull = { name: 'p', received: 'p', keys: keysOf(arrival, delivery()) };
    expect(taken([item('a', 1), item('b', 7)], [pull])).toEqual([[], ['a', 'b']]);
  });
});

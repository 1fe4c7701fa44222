import { describe, expect, it } from '@jest/globals';
import { done, json as say, native, results, run } from './support.ts';

const WARNING = /third identical call would end/;

describe('a model that repeats a call', () => {
  const same = say(['note', { text: 'again' }]);

  it('is announced at the second identical call, and ended at the third', async () => {
    done.length = 0;
    const { end, journal } = await run({ lines: [same, same, same, same] });
    expect(done).toEqual(['again', 'again']);
    expect(results(journal)[1]?.[1]).toMatch(/noted\n.*third identical call would end/);
    expect(end).toMatchObject({
      kind: 'failed',
      cause: { because: 'repeated_call', times: 3, call: 'note again' },
    });
  });

  it('is let alone when something else came in between', async () => {
    const other = say(['note', { text: 'other' }]);
    const { end } = await run({ lines: [same, same, other, same, same, say(['end', {}])] });
    expect(end).toEqual({ kind: 'finished' });
  });

  it.each([
    ['fails', 'fail', /no such file/],
    ['is an impossible one', 'nonsense', /no tool "nonsense"/],
  ])('is told and ended as well when the call %s', async (_how, tool, answer) => {
    const { end, journal } = await run({ lines: Array.from({ length: 5 }, () => say([tool, {}])) });
    const told = results(journal).map(([, output]) => output);
    expect(told).toHaveLength(3);
    expect(told[0]).not.toMatch(WARNING);
    expect(told[1]).toMatch(answer);
    expect(told[1]).toMatch(WARNING);
    expect(end).toMatchObject({
      kind: 'failed',
      cause: { because: 'repeated_call', times: 3 },
    });
  });
});

describe('equal calls in one reply', () => {
  const thrice = native(...Array.from({ length: 3 }, (): [string, object] => ['note', {}]));

  it('are not a circle, because the model has no answer yet', async () => {
    const { end, journal } = await run({
      lines: [thrice, native(['end', {}])],
      protocol: 'native',
    });
    expect(results(journal).map(([ok]) => ok)).toEqual([true, true, true, true]);
    expect(end).toEqual({ kind: 'finished' });
  });

  it('are the first of a circle if the model continues with the same', async () => {
    const once = native(['note', {}]);
    const { end, journal } = await run({ lines: [thrice, once, once], protocol: 'native' });
    expect(results(journal).map(([ok]) => ok)).toEqual([true, true, true, true, false]);
    expect(end).toMatchObject({
      kind: 'failed',
      cause: { because: 'repeated_call', times: 3 },
    });
  });
});

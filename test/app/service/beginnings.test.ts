import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Beginnings } from '../../../src/app/service/beginnings.ts';
import { FirstSigns } from '../../../src/app/service/first-signs.ts';

const OTHERS = ['one', 'two', 'three', 'four'];
const LONG_MS = 500;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** Runs that come one after the other, and the names of those that began. */
function scene({ most, signs }: { most: number; signs?: FirstSigns }) {
  const beginnings = new Beginnings(signs, { most, longMs: LONG_MS });
  const began: string[] = [];
  const come = (name: string, signal = new AbortController().signal) =>
    beginnings.turn(signal).then((begun) => {
      began.push(name);
      return begun;
    });
  return { come, began, settle: () => jest.advanceTimersByTimeAsync(0) };
}

it('a few runs begin at a time, the others after them in order', async () => {
  const { come, began, settle } = scene({ most: 2 });
  const [first, second] = ['a', 'b', 'c', 'd'].map((name) => come(name));
  await settle();
  expect(began).toEqual(['a', 'b']);
  (await second)?.();
  await settle();
  expect(began).toEqual(['a', 'b', 'c']);
  (await first)?.();
  await settle();
  expect(began).toEqual(['a', 'b', 'c', 'd']);
});

it('a run that has begun makes room for one other, however often it says so', async () => {
  const { come, began, settle } = scene({ most: 1 });
  const first = come('a');
  void come('b');
  void come('c');
  const begun = await first;
  begun();
  begun();
  await settle();
  expect(began).toEqual(['a', 'b']);
});

it('a run that takes long to begin holds no others up', async () => {
  const { come, began } = scene({ most: 1 });
  void come('a');
  void come('b');
  await jest.advanceTimersByTimeAsync(LONG_MS - 1);
  expect(began).toEqual(['a']);
  await jest.advanceTimersByTimeAsync(1);
  expect(began).toEqual(['a', 'b']);
});

it('a run that is stopped while it waits gives up its turn at once', async () => {
  const { come, began, settle } = scene({ most: 1 });
  const stop = new AbortController();
  const first = come('a');
  const stopped = come('b', stop.signal);
  void come('c');
  await first;
  stop.abort();
  (await stopped)();
  await settle();
  expect(began).toEqual(['a', 'b']);
  (await first)();
  await settle();
  expect(began).toEqual(['a', 'b', 'c']);
});

it('none begins while many people wait for a first sign, nor several at once after that', async () => {
  const signs = new FirstSigns();
  const { come, began, settle } = scene({ most: 2, signs });
  const first = come('a');
  const begun = await first;
  OTHERS.forEach((session) => signs.heard(session));
  ['b', 'c', 'd'].forEach((name) => void come(name));
  begun();
  await settle();
  expect(began).toEqual(['a']);
  OTHERS.forEach((session) => signs.given(session));
  await settle();
  expect(began).toEqual(['a', 'b', 'c']);
});

it('first signs that never end hold runs up once', async () => {
  const signs = new FirstSigns();
  const { come, began } = scene({ most: 1, signs });
  let count = 0;
  const hear = (): void => OTHERS.forEach(() => signs.heard(String(count++)));
  hear();
  ['a', 'b', 'c'].forEach((name) => void come(name));
  for (let second = 0; second < 4; second += 1) {
    await jest.advanceTimersByTimeAsync(1_000);
    hear();
  }
  expect(began).toEqual(['a', 'b', 'c']);
});

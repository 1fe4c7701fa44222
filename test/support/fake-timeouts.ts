import { jest } from '@jest/globals';

/** From now on, timeouts expire only when `jest.advanceTimersByTime` says so. Everything else keeps the real time. */
export function fakeTimeouts(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
    ],
  });
}

const LIMIT_MS = 1_000;

/**
 * Time limits of up to a second that begin now expire when the test says so, however long what is limited takes to begin.
 * From then on, time passes as usual.
 */
export function holdTimeouts(): { readonly expire: () => void } {
  fakeTimeouts();
  let isHeld = true;
  const expire = (): void => {
    if (!isHeld) return;
    isHeld = false;
    jest.advanceTimersByTime(LIMIT_MS);
    jest.useRealTimers();
  };
  return { expire };
}

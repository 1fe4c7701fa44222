import { jest } from '@jest/globals';

const LIMIT_MS = 1_000;

/**
 * Time limits of up to a second that begin now expire when the test says so, however long what is limited takes to begin.
 * From then on, time passes as usual.
 */
export function holdTimeouts(): { readonly expire: () => void } {
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
  let isHeld = true;
  const expire = (): void => {
    if (!isHeld) return;
    isHeld = false;
    jest.advanceTimersByTime(LIMIT_MS);
    jest.useRealTimers();
  };
  return { expire };
}

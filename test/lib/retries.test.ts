import { expect, it } from '@jest/globals';
import { TryLater, withRetries } from '../../src/lib/errors.ts';

const POLICY = { attempts: 3, firstDelayMs: 1, longestDelayMs: 10 };

/** Fails so often, and then answers with how often it was asked. */
function failing(times: number, failure: Error = new TryLater('busy')) {
  let asked = 0;
  return {
    asked: () => asked,
    attempt: async () => {
      asked += 1;
      if (asked <= times) throw failure;
      return asked;
    },
  };
}

it('what fails for a moment is tried again', async () => {
  expect(await withRetries(failing(2).attempt, { policy: POLICY })).toBe(3);
});

it('what goes on failing fails with its last error', async () => {
  const last = new TryLater('busy');
  const { attempt, asked } = failing(5, last);
  await expect(withRetries(attempt, { policy: POLICY })).rejects.toBe(last);
  expect(asked()).toBe(3);
});

it('what takes too long is not tried again', async () => {
  const { attempt, asked } = failing(1);
  const policy = { ...POLICY, withinMs: 0 };
  await expect(withRetries(attempt, { policy })).rejects.toBeInstanceOf(TryLater);
  expect(asked()).toBe(1);
});

it('what waiting does not mend is not tried again, unless the caller says that it may pass', async () => {
  const fault = new Error('a fault');
  const { attempt, asked } = failing(1, fault);
  await expect(withRetries(attempt, { policy: POLICY })).rejects.toBe(fault);
  expect(asked()).toBe(1);
  const other = failing(1, fault);
  expect(await withRetries(other.attempt, { policy: POLICY, mayPass: () => true })).toBe(2);
});

it('waits no longer once its signal is aborted, and throws the reason', async () => {
  const stop = new AbortController();
  const attempt = (): Promise<never> => {
    setImmediate(() => stop.abort(new Error('stopped')));
    throw new TryLater('Not now.');
  };
  // Longer than a test may take.
  const policy = { attempts: 2, firstDelayMs: 2 ** 30, longestDelayMs: Infinity };
  const trying = withRetries(attempt, { policy, signal: stop.signal });
  await expect(trying).rejects.toThrow('stopped');
});

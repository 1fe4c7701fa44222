const DEFAULT_TIMEOUT_MS = 10_000;

type Found<T> = Exclude<T, undefined | false | null>;

/**
 * Resolves with the predicate's first value that is not undefined, null or false. Asks at once and
 * after every change; rejects, naming `what`, when the time is over.
 */
export function waitFor<T>(
  onChange: (listener: () => void) => () => void,
  predicate: () => T | Promise<T>,
  { what, timeoutMs = DEFAULT_TIMEOUT_MS }: { what: string; timeoutMs?: number },
): Promise<Found<T>> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      stop();
    };
    const ask = async (): Promise<void> => {
      try {
        const value = await predicate();
        if (!isFound(value)) return;
        end();
        resolve(value);
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const timer = setTimeout(() => {
      stop();
      reject(new Error(`waited ${timeoutMs} ms in vain for ${what}`));
    }, timeoutMs);
    // Who waits in vain is not kept alive by it.
    timer.unref();
    const stop = onChange(() => void ask());
    void ask();
  });
}

const isFound = <T>(value: T): value is Found<T> =>
  value !== undefined && value !== null && value !== false;

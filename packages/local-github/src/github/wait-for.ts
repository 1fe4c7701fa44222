/** Under what a test may take, so that one which waits in vain says for what. */
const DEFAULT_TIMEOUT_MS = 240_000;

type AwaitedValue<T> = Exclude<T, undefined | false | null>;

export interface Wait {
  /** Names what is awaited, for the error. A function is only called when there is an error. */
  readonly what: string | (() => string);
  readonly timeoutMs?: number;
  /** Looks again this often, too: for what no change announces, such as a page of the service. */
  readonly everyMs?: number | undefined;
}

/**
 * Resolves with the predicate's first value that is not undefined, null or false. Calls it at once and after
 * every change, never concurrently. Rejects after the timeout with an error that names `what`.
 */
export function waitFor<T>(
  onChange: (listener: () => void) => () => void,
  predicate: () => T | Promise<T>,
  { what, timeoutMs = DEFAULT_TIMEOUT_MS, everyMs }: Wait,
): Promise<AwaitedValue<T>> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      clearInterval(again);
      stop();
    };
    let isAsking = false;
    let hasChanged = false;
    const ask = async (): Promise<void> => {
      hasChanged = true;
      if (isAsking) return;
      isAsking = true;
      try {
        while (hasChanged) {
          hasChanged = false;
          const value = await predicate();
          if (!isFound(value)) continue;
          end();
          return resolve(value);
        }
      } catch (error) {
        end();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
      isAsking = false;
    };
    const timer = setTimeout(() => {
      end();
      const words = typeof what === 'string' ? what : what();
      reject(new Error(`waited ${timeoutMs} ms in vain for ${words}`));
    }, timeoutMs);
    const again = everyMs === undefined ? undefined : setInterval(() => void ask(), everyMs);
    // The timers must not keep the process alive.
    timer.unref();
    again?.unref();
    const stop = onChange(() => void ask());
    void ask();
  });
}

const isFound = <T>(value: T): value is AwaitedValue<T> =>
  value !== undefined && value !== null && value !== false;

import { createContext, Script } from 'node:vm';

const script = new Script('work()');
const context: { work?: () => unknown } = {};
createContext(context);

/** The engine ended the work. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Runs synchronous work that nothing else could interrupt, such as a regular expression that a model
 * wrote. Not to be nested.
 * @throws {TookTooLong} after `ms`
 */
export function inTime<T>(ms: number, work: () => T): T {
  context.work = work;
  try {
    // The script calls `work` and nothing else.
    return script.runInContext(context, { timeout: ms }) as T;
  } catch (error) {
    // Made in the other context: no instance of this one's Error.
    if (Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new TookTooLong(`${ms} ms`);
    throw error;
  }
}

import { messageOf, TellPerson } from './errors.ts';

/**
 * A step that is taken once the work is done, or beside it: what comes of it or, if it is denied for good, what `denied`
 * makes of the reason. The work is there all the same, so such a denial is no failure of it. What may pass, and faults of
 * our own, are thrown.
 */
export async function besideTheWork<T>(
  step: () => Promise<T>,
  denied: (reason: string) => T | Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    return denied(messageOf(error));
  }
}

// The engines that a workspace can have, for suites that hold for each of them.
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';

export const ENGINES = ['isomorphic', 'native'] as const;

/** What it said to people if it was refused. @throws what is no refusal */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof TellPerson || error instanceof TryLater) return error.message;
    throw error;
  }
}

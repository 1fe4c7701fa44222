import { holderOfPort } from '../../../src/lib/port-holder.ts';
import { hasCode, messageOf } from '../../../src/lib/errors.ts';

/**
 * Starts a server on the port that a person gave; by default on `usual`, the same at each start, or on a free port if that
 * is in use, which it says.
 */
export async function listenOnPort<Server>(
  given: string | undefined,
  usual: number,
  { start, print }: { start: (port: number) => Promise<Server>; print: (text: string) => void },
): Promise<Server> {
  const port = given === undefined ? usual : Number(given);
  try {
    return await start(port);
  } catch (error) {
    if (!isInUse(error)) throw error;
    const taken = `Port ${port} is in use${holder(port)}.`;
    if (given !== undefined)
      throw new Error(`${taken} Choose another one with --port.`, { cause: error });
    print(`${taken} Listening on a free port in its place: addresses differ from the last time.`);
    return start(0);
  }
}

const isInUse = (error: unknown): boolean =>
  hasCode(error, 'EADDRINUSE') || messageOf(error).includes('EADDRINUSE');

function holder(port: number): string {
  const name = holderOfPort(port);
  return name === undefined ? '' : ` by ${name}`;
}

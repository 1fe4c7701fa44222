import { boundedResponse } from '../../lib/bounded-response.ts';

/** More than the vectors of a hundred texts need. */
const MOST_MIB = 61;

/**
 * A `fetch` for one answer in JSON. It follows no redirect, because the key would go with it.
 * @throws {Error} while the answer is read, if it is too long
 */
export const jsonFetch: typeof fetch = async (input, init) =>
  boundedResponse(await fetch(input, { ...init, redirect: 'error' }), MOST_MIB);

import { TellPerson, TryLater } from '../../lib/errors.ts';
import { notAStream, notTheApi, type Attempt } from './decision.ts';

/**
 * The `fetch` of those who would take any answer for a stream of the API. No redirect is followed: the
 * key would go with it.
 * @throws {TellPerson} for an answer of something else; some SDKs wrap it: see `thrownBelow`
 */
export const apiFetch =
  (fetch: typeof globalThis.fetch, attempt: Attempt): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (isPage(response)) throw notTheApi(attempt);
    if (response.ok && typeOf(response).includes('json')) throw notAStream(attempt);
    return response;
  };

/** A page, or the way to one; a gateway's page about a fault of the server counts as the fault. */
const isPage = (response: Response): boolean =>
  (response.status >= 300 && response.status < 400) ||
  (response.status < 500 && typeOf(response).includes('html'));

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';

/** The decision that was thrown below an SDK, which may wrap it. */
export function thrownBelow(error: unknown): TellPerson | TryLater | undefined {
  if (error instanceof TellPerson || error instanceof TryLater) return error;
  return error instanceof Error ? thrownBelow(error.cause) : undefined;
}

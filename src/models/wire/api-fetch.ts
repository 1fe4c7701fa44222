import { TellPerson, TryLater } from '../../lib/errors.ts';
import { beginningOf } from '../../lib/bounded-response.ts';
import { notAStream, notTheApi, type Attempt } from './server-error.ts';

/**
 * A `fetch` for SDKs that treat any answer as a stream of the API. It follows no redirect, because the key
 * would go with it.
 * @throws {TellPerson} if the answer is not from the API; some SDKs wrap it, see `thrownBelow`
 */
export const apiFetch =
  (fetch: typeof globalThis.fetch, attempt: Attempt): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    if (isPage(response)) throw notTheApi(attempt);
    if (response.ok && typeOf(response).includes('json')) throw notAStream(attempt);
    return response.ok ? response : beginningOf(response, MOST_ERROR_BYTES);
  };

/** What a server says about an error is in its first words; SDKs read all of them. */
const MOST_ERROR_BYTES = 64 * 1024;

/** A web page or a redirect. A gateway's error page (5xx) counts as the server's error instead. */
const isPage = (response: Response): boolean =>
  (response.status >= 300 && response.status < 400) ||
  (response.status < 500 && typeOf(response).includes('html'));

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';

/** Our own error that was thrown inside an SDK, which may have wrapped it. */
export function thrownBelow(error: unknown): TellPerson | TryLater | undefined {
  if (error instanceof TellPerson || error instanceof TryLater) return error;
  return error instanceof Error ? thrownBelow(error.cause) : undefined;
}

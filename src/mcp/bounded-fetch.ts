import type { FetchLike } from '@modelcontextprotocol/client';
import { boundedResponse } from '../lib/bounded-response.ts';

const MOST_MIB = 16;

/** Asks like `fetch`; an answer that is too large fails while it is read. */
export const boundedFetch: FetchLike = async (url, init) =>
  boundedResponse(await fetch(url, init), MOST_MIB);

// The log of a job. GitHub answers with the address of another host, which gets no token: the address is signed.
import { lookup as resolve, type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from '../../lib/public-address.ts';

/** Of the end, which says what failed. */
const KEPT_BYTES = 256 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
const DEADLINE_MS = 20_000;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The end of the text at an address that GitHub gave; says in words why there is none. Never throws. */
export async function fetchLog(
  address: string,
  api: URL,
): Promise<{ readonly text: string } | { readonly reason: string }> {
  const url = URL.parse(address);
  const against = url === null ? 'its address is no URL' : whyNot(url, api);
  if (url === null || against !== undefined) return { reason: against ?? '' };
  try {
    return { text: await endOf(url, hasOwnHost(url, api)) };
  } catch (error) {
    return { reason: error instanceof NotPublic ? error.message : 'it could not be fetched' };
  }
}

/** The App's own GitHub may be in a private network, and a local one on this machine. */
const hasOwnHost = (url: URL, api: URL): boolean =>
  url.hostname === api.hostname || (LOOPBACK.test(api.hostname) && LOOPBACK.test(url.hostname));

function whyNot(url: URL, api: URL): string | undefined {
  const isLocal = LOOPBACK.test(api.hostname) && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    return 'its address is not https';
  if (url.username !== '' || url.password !== '') return 'its address has a password';
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0 && !hasOwnHost(url, api) && !isPublicAddress(literal)) return PRIVATE;
  return undefined;
}

const PRIVATE = 'its address is not public';
class NotPublic extends Error {}

/** The connection is made to the address that was checked. */
const lookupPublic: LookupFunction = (hostname, options, done) =>
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? [];
    if (error !== null || first === undefined) return done(error ?? new NotPublic(PRIVATE), '', 0);
    if (!addresses.every((one: LookupAddress) => isPublicAddress(one.address)))
      return done(new NotPublic(PRIVATE), '', 0);
    return options.all === true ? done(null, addresses) : done(null, first.address, first.family);
  });

/** @throws {Error} also for another redirect */
async function endOf(url: URL, isOwn: boolean): Promise<string> {
  const { get } = url.protocol === 'https:' ? https : http;
  const response = await new Promise<http.IncomingMessage>((resolved, reject) => {
    get(
      url,
      {
        headers: { 'accept-encoding': 'identity', 'user-agent': 'issuewright' },
        signal: AbortSignal.timeout(DEADLINE_MS),
        agent: false,
        ...(isOwn ? {} : { lookup: lookupPublic }),
      },
      resolved,
    ).on('error', reject);
  });
  if (response.statusCode !== 200) {
    response.destroy();
    throw new Error(`the log's host answered ${response.statusCode}`);
  }
  return decoded(await lastBytes(response));
}

async function lastBytes(response: http.IncomingMessage): Promise<Buffer> {
  let kept: Buffer = Buffer.alloc(0);
  let read = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    read += chunk.length;
    if (read > MOST_BYTES) break;
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > 2 * KEPT_BYTES) kept = Buffer.from(kept.subarray(-KEPT_BYTES));
  }
  return kept.subarray(-KEPT_BYTES);
}

/** It begins with a byte order mark, and where it was cut maybe with a part of a character. */
const decoded = (bytes: Buffer): string =>
  new TextDecoder('utf-8').decode(bytes).replace(/^\uFEFF/, '');

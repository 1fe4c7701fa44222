import { isIPv4, isIPv6 } from 'node:net';

const MINUTE_MS = 60_000;
/** That are told apart in a minute; all others count together. */
const MOST = 10_000;
const OTHERS = '';

/**
 * Whom a limit counts: an IPv4 address, or the /64 of an IPv6 address, since each customer has one at least. The ports
 * that some proxies add do not count. All that is no address counts together, and so do connections that are closed already.
 */
export function networkOf(given = ''): string {
  const [address = ''] = given
    .replace(/^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2')
    .split('%', 1);
  if (isIPv4(address)) return address;
  const groups = isIPv6(address) ? groupsOf(address) : [];
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  if (!isMapped) return groups.slice(0, 4).join(':');
  const pairs = groups.slice(6).map((group) => Number.parseInt(group, 16));
  return pairs.flatMap((both) => [both >> 8, both & 255]).join('.');
}

/** The eight of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  const { hostname } = new URL(`http://[${address}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after];
}

/** How often someone may ask in a minute. */
export class RateLimit {
  readonly #most: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #endsAt = 0;

  constructor(most: number, now: () => number = () => performance.now()) {
    this.#most = most;
    this.#now = now;
  }

  /** Counts one more. Returns the seconds to wait if these are too many. */
  take(who: string): number | undefined {
    const now = this.#now();
    // All begin a minute together, so what is remembered is what was asked in it.
    if (now >= this.#endsAt) {
      this.#counts = new Map();
      this.#endsAt = now + MINUTE_MS;
    }
    const isKnown = this.#counts.has(who) || this.#counts.size < MOST;
    const name = isKnown ? who : OTHERS;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count > this.#most ? Math.ceil((this.#endsAt - now) / 1000) : undefined;
  }
}

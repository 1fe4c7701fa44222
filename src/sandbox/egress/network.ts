import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from '../../lib/public-address.ts';

/** The network as the proxy sees it. */
export interface Network {
  /** All addresses of a name. Rejects if there is none. */
  resolve(host: string): Promise<readonly string[]>;
  mayConnect(address: string): boolean;
}

const LOOKUP_MS = 5000;

/** Does not use `lookup`, which blocks a thread of the service for every name a command makes up. */
export const publicNetwork: Network = {
  resolve: async (host) => {
    const resolver = new Resolver({ timeout: LOOKUP_MS, tries: 2 });
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  },
  mayConnect: isPublicAddress,
};

import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from './public-address.ts';

/** What the proxy knows of the world outside. */
export interface Network {
  /** All addresses of a name. Rejects where there is none. */
  resolve(host: string): Promise<readonly string[]>;
  mayConnect(address: string): boolean;
}

const LOOKUP_MS = 5000;

/** Not `lookup`, which keeps a thread of the service busy for each name that a command invents. */
export const publicNetwork: Network = {
  resolve: async (host) => {
    const resolver = new Resolver({ timeout: LOOKUP_MS, tries: 2 });
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  },
  mayConnect: isPublicAddress,
};

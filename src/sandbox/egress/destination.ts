import { isIP } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { normalHost } from './allow-list.ts';
import type { Network } from './network.ts';

/** What comes of a wish to reach a host: the very address to connect to, or why not. */
export type Destination =
  | { readonly state: 'allowed'; readonly address: string }
  | { readonly state: 'refused'; readonly why: string }
  | { readonly state: 'unknown'; readonly why: string };

/**
 * Looks a host up once, and answers an address that was checked: nobody looks it up again, so that the
 * name cannot lead elsewhere meanwhile.
 */
export async function destinationOf(
  host: string,
  port: number,
  allowList: AllowList,
  network: Network,
): Promise<Destination> {
  if (!allowList.allows(host, port))
    return {
      state: 'refused',
      why: `Commands may not reach ${host}:${port}. The operator allows hosts with SANDBOX_ALLOW_HOSTS.`,
    };
  const addresses = await addressesOf(host, network);
  const [address] = addresses;
  if (address === undefined) return { state: 'unknown', why: `There is no host ${host}.` };
  // One of several is enough to be suspicious of the name.
  if (!addresses.every((one) => network.mayConnect(one)))
    return { state: 'refused', why: `${host} leads to an address that is not public.` };
  return { state: 'allowed', address };
}

async function addressesOf(host: string, network: Network): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return await network.resolve(normalHost(host));
  } catch {
    return [];
  }
}

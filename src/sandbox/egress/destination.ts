import { isIP } from 'node:net';
import { type AllowList, normalHost } from './allow-list.ts';
import type { Network } from './network.ts';

/** Whether a command may reach a host: the address to connect to, or why not. */
export type Destination =
  | { readonly state: 'allowed'; readonly address: string }
  | { readonly state: 'not allowed'; readonly why: string }
  /** The operator allows the host, and its address is not public. */
  | { readonly state: 'not public'; readonly why: string }
  | { readonly state: 'unknown'; readonly why: string };

/**
 * Resolves a host once and returns the address that was checked. The caller connects to that address, so
 * the name cannot lead elsewhere meanwhile.
 */
export async function destinationOf(
  host: string,
  port: number,
  allowList: AllowList,
  network: Network,
): Promise<Destination> {
  if (!allowList.allows(host, port))
    return {
      state: 'not allowed',
      why: `Commands may not reach ${host}:${port}. The operator can allow hosts with ${allowList.setting}.`,
    };
  const addresses = await addressesOf(host, network);
  const [address] = addresses;
  if (address === undefined) return { state: 'unknown', why: `There is no host ${host}.` };
  // One private address among several is enough to distrust the name.
  if (!addresses.every((one) => network.mayConnect(one)))
    return {
      state: 'not public',
      why: `${host} resolves to an address that is not public, and commands reach public addresses only.`,
    };
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

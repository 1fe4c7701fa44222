// Which address a command reaches for a host that it names, if any.
import { isIP } from 'node:net';
import { normalHost, type AllowList, type Network } from './allow-list.ts';

export interface Target {
  readonly host: string;
  readonly port: number;
}

/** Whether a command may reach a host: the address to connect to, or why not. */
export type EgressDestination =
  | { readonly state: 'allowed'; readonly address: string; readonly proxy: URL | undefined }
  | { readonly state: 'not allowed'; readonly why: string }
  /** The operator allows the host, and its address is not public. */
  | { readonly state: 'not public'; readonly why: string }
  | { readonly state: 'unknown'; readonly why: string };

/**
 * Resolves a host once and returns the address that was checked. The caller connects to that address, so
 * the name cannot lead elsewhere meanwhile. A proxy of the network looks up the name itself: what it reaches is for those
 * who run it to say, and a name that only it knows is left to it.
 */
export async function destinationOf(
  { host, port }: Target,
  proxy: string | undefined,
  allowList: AllowList,
  network: Network,
): Promise<EgressDestination> {
  if (!allowList.allows(host, port))
    return {
      state: 'not allowed',
      why: `Commands may not reach ${host}:${port}. The operator can allow hosts with ${allowList.setting}.`,
    };
  const addresses = await addressesOf(host, network);
  const [address] = addresses;
  if (address === undefined && proxy === undefined)
    return { state: 'unknown', why: `There is no host ${host}.` };
  // One private address among several is enough to distrust the name.
  const isPrivate = allowList.allowsPrivately(host, port);
  const mayConnect = (one: string): boolean =>
    network.mayConnect(one) || (isPrivate && network.mayConnectPrivately(one));
  if (!addresses.every(mayConnect))
    return {
      state: 'not public',
      why: isPrivate
        ? `${host} resolves to an address of this machine, or to one that is of no network of an organisation. Commands reach neither.`
        : `${host} resolves to an address that is not public, and commands reach public addresses only.${privateHint(allowList)}`,
    };
  return {
    state: 'allowed',
    address: address ?? host,
    proxy: proxy === undefined ? undefined : new URL(proxy),
  };
}

const privateHint = ({ privateSetting }: AllowList): string =>
  privateSetting === undefined
    ? ''
    : ` The operator can allow internal hosts with ${privateSetting}.`;

async function addressesOf(host: string, network: Network): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    return await network.resolve(normalHost(host));
  } catch {
    return [];
  }
}

import { domainToASCII } from 'node:url';
import { Resolver } from 'node:dns/promises';
import { proxyFor } from '../../../../src/lib/network.ts';
import { isPrivateAddress, isPublicAddress } from '../../../../src/lib/public-address.ts';
import { isIP } from 'node:net';

const PORTS = [80, 443];

interface Entry {
  /** Without `*.`, lower-case, in its ASCII form. */
  readonly name: string;
  readonly isWildcard: boolean;
  readonly ports: readonly number[];
  /** Whether its address may be one of a private network. */
  readonly isPrivate: boolean;
}

/** Host names that commands may reach. */
export class AllowList {
  /** Where the operator lists them. */
  readonly setting: string;
  /** Where the operator lists those with private addresses, if that is possible. */
  readonly privateSetting: string | undefined;
  private readonly entries: readonly Entry[];

  /**
   * Each entry is `registry.example.com`, or `*.example.com` for all names below it, on ports 80 and 443,
   * or has a port of its own: `registry.example.com:8443`.
   * @param privateHosts hosts in the same form whose addresses may be private too
   * @throws {Error} if an entry has another form
   */
  constructor(
    entries: readonly string[],
    setting = 'SANDBOX_ALLOW_HOSTS',
    privateHosts?: readonly string[],
  ) {
    this.setting = setting;
    this.privateSetting = privateHosts && 'SANDBOX_PRIVATE_HOSTS';
    this.entries = [
      ...entries.map((entry) => parse(entry, false)),
      ...(privateHosts ?? []).map((entry) => parse(entry, true)),
    ];
  }

  get isEmpty(): boolean {
    return this.entries.length === 0;
  }

  allows(host: string, port: number): boolean {
    return this.#entriesFor(host, port).length > 0;
  }

  /** Whether the operator says that the host may have a private address. */
  allowsPrivately(host: string, port: number): boolean {
    return this.#entriesFor(host, port).some(({ isPrivate }) => isPrivate);
  }

  #entriesFor(host: string, port: number): readonly Entry[] {
    const name = normalHost(host);
    return this.entries.filter(
      (entry) =>
        entry.ports.includes(port) &&
        (entry.isWildcard ? name.endsWith(`.${entry.name}`) : name === entry.name),
    );
  }
}

/** The canonical spelling: `EXAMPLE.com.` and `example.com` are the same host. */
const normalHost = (host: string): string => domainToASCII(host.toLowerCase().replace(/\.$/, ''));

const ENTRY = /^(?<wildcard>\*\.)?(?<name>[^\s*:/@?#[\]]+)(?::(?<port>\d{1,5}))?$/;

function parse(entry: string, isPrivate: boolean): Entry {
  const { wildcard, name = '', port } = ENTRY.exec(entry.trim())?.groups ?? {};
  const normal = normalHost(name);
  const number = Number(port ?? 443);
  if (normal === '' || number < 1 || number > 65_535)
    throw new Error(
      `"${entry}" is not a host name. Write registry.example.com, or *.example.com for all names below it, with a port as in registry.example.com:8443.`,
    );
  return {
    name: normal,
    isWildcard: wildcard !== undefined,
    ports: port === undefined ? PORTS : [number],
    isPrivate,
  };
}

/** The network as the proxy sees it. */
export interface Network {
  /** All addresses of a name. Rejects if there is none. */
  resolve(host: string): Promise<readonly string[]>;
  mayConnect(address: string): boolean;
  /** For hosts that may have a private address. */
  mayConnectPrivately(address: string): boolean;
  /** The proxy behind which an address is, which looks up names itself; `undefined`: it is reached without one. */
  proxyFor?(url: URL): string | undefined;
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
  mayConnectPrivately: isPrivateAddress,
  proxyFor: (url) => proxyFor(url),
};

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

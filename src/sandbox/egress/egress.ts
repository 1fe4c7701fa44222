import { chown, rm } from 'node:fs/promises';
import type { Identity } from '../identity.ts';
import { AllowList } from './allow-list.ts';
import type { Network } from './network.ts';
import { EgressProxy } from './proxy.ts';
import { proxyEnvironment, relayMounts, startRelay } from './relay.ts';

/** What a command is started with, so that it can reach the hosts that are allowed. */
export interface Egress {
  /** Arguments that mount the proxy's socket. */
  readonly mounts: readonly string[];
  /** For the first process, before the command. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends it, and answers the hosts that were refused. */
  close(): Promise<readonly string[]>;
}

export type OpenEgress = (path: string, identity: Identity | undefined) => Promise<Egress>;

/**
 * How a proxy is opened for one command, with its socket at a path.
 * @param node the Node that the relay runs in, by its path inside
 * @throws {Error} an entry of the list is no host
 */
export function egressTo(hosts: readonly string[], network: Network, node: string): OpenEgress {
  const allowList = new AllowList(hosts);
  return async (path, identity) => {
    await rm(path, { force: true });
    const proxy = new EgressProxy(allowList, network);
    await proxy.listen(path);
    if (identity !== undefined) await chown(path, identity.uid, identity.gid);
    return {
      mounts: relayMounts(path),
      script: startRelay(node),
      environment: proxyEnvironment,
      close: async () => {
        await proxy.close();
        return proxy.refusedHosts;
      },
    };
  };
}

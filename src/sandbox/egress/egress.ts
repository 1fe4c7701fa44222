import { chown, rm } from 'node:fs/promises';
import type { Identity } from '../identity.ts';
import { AllowList } from './allow-list.ts';
import type { Network } from './network.ts';
import { EgressProxy } from './proxy.ts';
import { proxyEnvironment, relayMounts, startRelay } from './relay.ts';

/** What a command needs at its start to reach the allowed hosts. */
export interface Egress {
  /** Arguments that mount the proxy's socket. */
  readonly mounts: readonly string[];
  /** Runs in process 1 before the command. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends it. Resolves with the hosts that were not allowed. */
  close(): Promise<readonly string[]>;
}

export type OpenEgress = (path: string, identity: Identity | undefined) => Promise<Egress>;

/**
 * Returns the function that opens a proxy for one command, with its socket at a path.
 * @param node the path, inside the sandbox, of the Node that runs the relay
 * @param setting where the operator lists the hosts
 * @throws {Error} if an entry of the list is not a host
 */
export function egressTo(
  hosts: readonly string[],
  network: Network,
  node: string,
  setting = 'SANDBOX_ALLOW_HOSTS',
): OpenEgress {
  const allowList = new AllowList(hosts, setting);
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
        return proxy.disallowedHosts;
      },
    };
  };
}

import { chown, rm } from 'node:fs/promises';
import type { CommandUser } from '../users/identity.ts';
import { quote } from '../shell.ts';
import type { AllowList, Network } from './allow-list.ts';
import { EgressProxy, type DeniedHosts } from './proxy.ts';
import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { unlessItFails } from '../../../../src/lib/errors.ts';

/** What a command needs at its start to reach the allowed hosts. */
export interface Egress {
  /** Arguments that mount the proxy's socket. */
  readonly mounts: readonly string[];
  /** Runs in process 1 before the command. */
  readonly script: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends it. */
  close(): Promise<DeniedHosts>;
}

export type OpenEgress = (path: string, identity: CommandUser | undefined) => Promise<Egress>;

/**
 * Returns the function that opens a proxy for one command, with its socket at a path. Without hosts it denies
 * everything at once, where programs would wait for a network.
 * @param node the path, inside the sandbox, of the Node that runs the relay; or one that works where nothing of the machine is
 */
export function egressTo(
  allowList: AllowList,
  network: Network,
  node: string | PortableProgram,
): OpenEgress {
  const { mounts, command } = typeof node === 'string' ? { mounts: [], command: [node] } : node;
  return async (path, identity) => {
    await rm(path, { force: true });
    const proxy = new EgressProxy(allowList, network);
    await proxy.listen(path);
    if (identity !== undefined) await chown(path, identity.uid, identity.gid);
    return {
      mounts: [...relayMounts(path), ...mounts],
      script: allowList.isEmpty ? startRelayBeside(command) : startRelay(command),
      environment: proxyEnvironment,
      close: async () => {
        await proxy.close();
        return proxy.hosts;
      },
    };
  };
}

// The sandbox has no network but its own loopback. A relay listens there and forwards every connection to
// the proxy's socket.

const PORT = 3128;
const SOCKET = '/run/egress';

/** Runs inside the sandbox, in a Node of its own: it cannot use anything of this file. */
function relay(port: number, path: string): void {
  const net = process.getBuiltinModule('node:net');
  const server = net.createServer({ allowHalfOpen: true }, (client) => {
    const proxy = net.connect({ path, allowHalfOpen: true });
    client.pipe(proxy).pipe(client);
    client.on('error', () => proxy.destroy());
    proxy.on('error', () => client.destroy());
  });
  server.listen(port, '127.0.0.1', () => process.stdout.write('\n'));
}

/** What an image sets for its own Node is not for ours. */
const relayIn = (node: readonly string[]): string =>
  `NODE_OPTIONS= ${node.map(quote).join(' ')} -e ${quote(`(${relay.toString()})(${PORT}, ${JSON.stringify(SOCKET)})`)}`;

/** A script for process 1 that starts the relay and waits until it listens. */
const startRelay = (node: readonly string[]): string =>
  `mkfifo /run/relay && { ${relayIn(node)} > /run/relay 2> /dev/null & } && read -r _ < /run/relay && rm /run/relay\n`;

/** Without a wait: what comes before it listens fails at once too. */
const startRelayBeside = (node: readonly string[]): string =>
  `{ ${relayIn(node)} > /dev/null 2>&1 & }\n`;

const relayMounts = (socket: string): string[] => ['--bind', socket, SOCKET];

const PROXY = `http://127.0.0.1:${PORT}`;
const JAVA = ['http', 'https']
  .map((scheme) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${PORT}`)
  .join(' ');

/** Makes programs use the proxy. */
const proxyEnvironment: Readonly<Record<string, string>> = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  http_proxy: PROXY,
  https_proxy: PROXY,
  NO_PROXY: 'localhost,127.0.0.1,::1',
  no_proxy: 'localhost,127.0.0.1,::1',
  npm_config_proxy: PROXY,
  npm_config_https_proxy: PROXY,
  NODE_USE_ENV_PROXY: '1',
  MAVEN_OPTS: JAVA,
  GRADLE_OPTS: JAVA,
};

/** A program of the host that works without anything else of the host: how to start it, and what to mount for that. */
interface PortableProgram {
  readonly mounts: readonly string[];
  /** A command, and words before its own arguments. */
  readonly command: readonly string[];
}

/** Nothing but the relay to the network is started so. */
const PLACE = '/run/relay-program';

/** With the libraries that it needs, as `ldd` lists them; `undefined` if that cannot be found out. */
export function portableProgram(program: string): PortableProgram | undefined {
  const listed = unlessItFails(() => execFileSync('ldd', [program], { encoding: 'utf8' }));
  // Each line names a library, and most of them where it is: `libc.so.6 => /lib/libc.so.6 (0x…)`.
  const words = (listed ?? '').split('\n').map((line) => line.split(/\s+/));
  const paths = words.flatMap((line) => line.find((word) => word.startsWith('/')) ?? []);
  const loader = paths.find((path) => basename(path).startsWith('ld-'));
  if (loader === undefined) return undefined;
  const inside = (path: string): string => join(PLACE, basename(path));
  return {
    mounts: [program, ...paths].flatMap((path) => ['--ro-bind', path, inside(path)]),
    command: [inside(loader), '--library-path', PLACE, inside(program)],
  };
}

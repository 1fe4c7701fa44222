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

const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** A script for process 1 that starts the relay and waits until it listens. */
export const startRelay = (node: string): string =>
  `mkfifo /run/relay && { ${quote(node)} -e ${quote(`(${relay.toString()})(${PORT}, ${JSON.stringify(SOCKET)})`)} > /run/relay 2> /dev/null & } && read -r _ < /run/relay && rm /run/relay\n`;

export const relayMounts = (socket: string): string[] => ['--bind', socket, SOCKET];

const PROXY = `http://127.0.0.1:${PORT}`;
const JAVA = ['http', 'https']
  .map((scheme) => `-D${scheme}.proxyHost=127.0.0.1 -D${scheme}.proxyPort=${PORT}`)
  .join(' ');

/** Makes programs use the proxy. */
export const proxyEnvironment: Readonly<Record<string, string>> = {
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

import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { holderOfPort } from '../../src/lib/port-holder.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('the program that has a port', () => {
  it.each(['127.0.0.1', '0.0.0.0', '::'])(
    'is named with its process, listening on %s',
    async (host) => {
      expect(holderOfPort(await listen(host))).toMatch(
        new RegExp(`^\\S+ \\(PID ${process.pid}\\)$`),
      );
    },
  );

  it('is none once nobody listens', async () => {
    const port = await listen('127.0.0.1');
    const [server] = servers.splice(0);
    await new Promise((resolve) => server?.close(resolve));
    expect(holderOfPort(port)).toBeUndefined();
  });
});

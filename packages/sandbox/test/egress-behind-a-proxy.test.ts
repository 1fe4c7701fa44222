// The way out of the sandbox where the network has a proxy of its own, which alone can look up names.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canCertify } from '../../../test/support/certificates.ts';
import { openCompanyNetwork, type CompanyNetwork } from '../../../test/support/company-network.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { AllowList, publicNetwork } from '../src/egress/allow-list.ts';
import { EgressProxy } from '../src/egress/proxy.ts';

type Connected = [answer: IncomingMessage, socket: Duplex, head: Buffer];
const PRIVATE = 'private.company.example';

(canCertify ? describe : describe.skip)('the way out of the sandbox behind a proxy', () => {
  const socketPath = join(temporaryDirectory(), 's');
  const registry = createServer((asked, response) => {
    response.end(`${asked.url} ${JSON.stringify(asked.headers)}`);
  });
  let company: CompanyNetwork;
  let egress: EgressProxy;
  let host: string;

  beforeAll(async () => {
    company = await openCompanyNetwork();
    registry.listen(0, '127.0.0.1');
    await once(registry, 'listening');
    host = company.lead('registry', `http://127.0.0.1:${(registry.address() as AddressInfo).port}`);
    egress = new EgressProxy(new AllowList([host, PRIVATE]), {
      ...publicNetwork,
      resolve: (name) => Promise.resolve(name === PRIVATE ? ['10.1.2.3'] : []),
      proxyFor: () => company.proxy,
    });
    await egress.listen(socketPath);
  });
  afterAll(async () => {
    await egress.close();
    await company.close();
    registry.closeAllConnections();
    registry.close();
  });

  const tunnelTo = async (path: string): Promise<Connected> =>
    (await once(request({ socketPath, method: 'CONNECT', path }).end(), 'connect')) as Connected;

  it('leads commands to an allowed host, and shows them nothing of the proxy', async () => {
    const [{ statusCode }, socket] = await tunnelTo(`${host}:443`);
    expect(statusCode).toBe(200);
    const ca = readFileSync(company.authority);
    const secure = connect({ socket, ca, servername: host });
    const how = { headers: { host }, createConnection: () => secure };
    const asked = https.get(`https://${host}/x`, how);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect([answer.statusCode, await text(answer)]).toEqual([200, expect.stringMatching(/^\/x /)]);
    secure.destroy();
    const plain = request({ socketPath, path: `http://${host}/y`, headers: { host } }).end();
    const [other] = (await once(plain, 'response')) as [IncomingMessage];
    const said = await text(other);
    expect(said).toMatch(/^\/y /);
    expect(said).not.toMatch(/proxy/i);
    expect(company.asked).toEqual([`CONNECT ${host}:443`, `GET http://${host}/y`]);
  });

  it('asks the proxy for no host that is not allowed, or is known to be private', async () => {
    const before = company.asked.length;
    for (const name of ['other.company.example', PRIVATE]) {
      const [{ statusCode }, socket] = await tunnelTo(`${name}:443`);
      expect(statusCode).toBe(403);
      socket.destroy();
    }
    expect(company.asked).toHaveLength(before);
    expect(egress.hosts).toEqual({
      disallowedHosts: ['other.company.example:443'],
      notPublicHosts: [`${PRIVATE}:443`],
    });
  });

  it('says that the proxy turned a command away', async () => {
    const elsewhere = new EgressProxy(new AllowList([host]), {
      ...publicNetwork,
      resolve: () => Promise.resolve([]),
      proxyFor: () => company.proxy.replace('the-user', 'nobody'),
    });
    const path = join(temporaryDirectory(), 's');
    await elsewhere.listen(path);
    const asked = request({ socketPath: path, method: 'CONNECT', path: `${host}:443` }).end();
    const [{ statusCode }, socket, head] = (await once(asked, 'connect')) as Connected;
    expect([statusCode, `${head.toString()}${await text(socket)}`]).toEqual([
      502,
      `${host} did not answer: the proxy before it answered 407\n`,
    ]);
    await elsewhere.close();
  });
});

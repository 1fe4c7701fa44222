// Passes requests on to the local GitHub, each after a time, as they take one to the real one. A process of its own.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

const [host = '', ms = ''] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true });
const server = http.createServer((request, response) => {
  void pause(Number(ms)).then(() => {
    const { method, url = '/', headers } = request;
    const to = http.request(`http://${host}${url}`, { method, headers, agent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    to.on('error', () => response.destroy());
    request.pipe(to);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());

// Probot as its documentation starts it, with handlers that do nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createNodeMiddleware, createProbot } from 'probot';
import { newPrivateKey } from '../../playground/private-key.ts';
import { SECRET } from './payloads.ts';

const probot = createProbot({
  overrides: { appId: 1, privateKey: newPrivateKey(), secret: SECRET },
});
const middleware = await createNodeMiddleware(
  (app) => {
    app.on(['issues.labeled', 'issue_comment.created'], async () => {});
  },
  { probot },
);
const server = createServer((request, response) => void middleware(request, response));
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.once('disconnect', () => process.exit());

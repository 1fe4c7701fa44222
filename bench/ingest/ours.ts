// The service as far as a delivery is accepted: the route, the readers, the store on PostgreSQL. Nothing works.
import { EVENTS } from '../../src/events/index.ts';
import { eventHandlers } from '../../src/app/receive/receive.ts';
import { openLog } from '../../src/commands/log.ts';
import { createGitHub } from '../../src/github/index.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { openStore } from '../../src/store/open.ts';
import { createWebhookServer } from '../../src/web/webhook-server.ts';
import { newPrivateKey } from '../../packages/local-github/src/private-key.ts';
import { SECRET } from './payloads.ts';

const redactor = createRedactor([SECRET]);
const log = await openLog({ logLevel: 'info', logFormat: 'json' }, redactor);
const store = await openStore({ databaseUrl: process.argv[2], dataDir: '/unused', log });
const github = createGitHub({
  appId: 1,
  privateKey: newPrivateKey(),
  webhookSecrets: [SECRET],
  log,
  redactor,
});
await github.start(
  eventHandlers(EVENTS, {
    store,
    serves: () => true,
    allowedBots: [],
    assignee: undefined,
    slug: () => 'issuewright',
  }),
);
const server = createWebhookServer({ log, webhooks: github, needs: [] });
const url = await server.listen('127.0.0.1', 0);
process.send?.(Number(new URL(url).port));
process.once('disconnect', () => {
  void Promise.all([server.close(), store.close()]).then(() => process.exit());
});

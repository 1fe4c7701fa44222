// The database goes away and comes back, under a service that is working.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { readPidFile } from '../../../src/store/embedded/leftovers.ts';
import {
  CLUSTER,
  startEmbedded,
  type EmbeddedServer,
} from '../../../src/store/embedded/postgres-server.ts';
import { prepareData } from '../../support/prepared-data.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { until } from '../../contract/store-world.ts';
import { silentProxy } from '../../support/silent-proxy.ts';
import { createDatabase } from '../../support/test-database.ts';
import { Scene } from '../scene.ts';

const call = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const TITLE = 'Wait for the database';
const SCRIPT: Script = {
  turns: [
    call('read_file', { path: 'README.md' }),
    call('finish', { summary: 'It does.', outcome: 'nothing_to_do' }),
  ],
};

const silent = pino({ level: 'silent' });

describe('a database that goes away', () => {
  let dataDir: string;
  let server: EmbeddedServer;
  let scene: Scene;

  const startServer = async (): Promise<void> => {
    server = await startEmbedded(dataDir, silent);
  };
  const urlOf = ({ connection: { host, port, user, database } }: EmbeddedServer): string =>
    `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;

  beforeEach(async () => {
    dataDir = join(temporaryDirectory(), 'server');
    await prepareData(dataDir);
    await startServer();
    const environment = { DATABASE_URL: urlOf(server) };
    scene = await Scene.open({
      ownDatabase: true,
      environment,
      scripts: [SCRIPT],
    });
  });
  afterEach(async () => {
    await scene.close();
    await server.stop();
  });

  it.each([
    ['is stopped', () => server.stop()],
    [
      'crashes',
      async () => {
        process.kill(server.pid, 'SIGKILL');
        await server.stop();
      },
    ],
  ])(
    'because it %s during a request to the model: the reply is kept, and no turn is paid for twice',
    async (_how, goAway) => {
      const replies = scene.holdReplies(TITLE, 1);
      const issue = scene.ask(TITLE, '');
      await scene.untilAgentAsked(2);
      const from = scene.service.lines;
      await goAway();
      replies.release();
      // It has the reply, and cannot journal it.
      const kept = /"operation":"append",.*waiting for the database/;
      await scene.service.untilLogged(kept, { from });
      await startServer();
      await scene.untilStatus(issue, /nothing to change/i);
      expect(scene.agentRequests).toHaveLength(2);
      const statuses = scene.comments(issue).filter(({ body }) => body.includes(':status -->'));
      expect(statuses).toHaveLength(1);
      expect(await scene.stop()).toBe(0);
    },
    300_000,
  );

  it('before the service starts is waited for', async () => {
    await scene.stop();
    await server.stop();
    const before = scene.stage.log().length;
    const starting = scene.start();
    const isWaiting = () => scene.stage.log().slice(before).includes('waiting for the database');
    await until('it waits', isWaiting);
    await startServer();
    await starting;
  });
});

it('a database that says nothing any more, while its connections stay open, is away like one that is down', async () => {
  const place = await createDatabase();
  const proxy = await silentProxy(place);
  const scene = await Scene.open({
    ownDatabase: true,
    environment: { DATABASE_URL: proxy.url },
    scripts: [SCRIPT],
    patienceMs: 90_000,
  });
  const replies = scene.holdReplies(TITLE, 1);
  const issue = scene.ask(TITLE, '');
  await scene.untilAgentAsked(2);
  const from = scene.service.lines;
  proxy.silence();
  replies.release();
  const kept = /"operation":"append",.*waiting for the database/;
  await scene.service.untilLogged(kept, { from });
  proxy.resume({ late: false });
  await scene.untilStatus(issue, /nothing to change/i);
  expect(scene.agentRequests).toHaveLength(2);
  const statuses = scene.comments(issue).filter(({ body }) => body.includes(':status -->'));
  expect(statuses).toHaveLength(1);
  expect(await scene.stop()).toBe(0);
  await scene.close();
  await proxy.close();
  await place.drop();
}, 600_000);

it('an embedded database that is killed during a request to the model is restarted, and the reply is kept', async () => {
  const scene = await Scene.open({ ownDatabase: true, scripts: [SCRIPT] });
  const replies = scene.holdReplies(TITLE, 1);
  const issue = scene.ask(TITLE, '');
  await scene.untilAgentAsked(2);
  const from = scene.service.lines;
  const { pid = 0 } = readPidFile(join(scene.directory, 'data', CLUSTER)) ?? {};
  process.kill(pid, 'SIGKILL');
  replies.release();
  await scene.service.untilLogged(/restarted the embedded PostgreSQL/, { from });
  await scene.untilStatus(issue, /nothing to change/i);
  expect(scene.agentRequests).toHaveLength(2);
  expect(await scene.stop()).toBe(0);
  await scene.close();
});

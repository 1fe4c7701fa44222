// What the operator is told of the shipped service, at an address of theirs, over a restart.
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Scene } from './scene.ts';

describe('the operator', () => {
  let receiver: http.Server;
  let scene: Scene;
  const told: { readonly event?: string; readonly cause?: string; readonly subject?: string }[] =
    [];

  beforeAll(async () => {
    receiver = http.createServer((request, response) => {
      void json(request).then((body) => {
        told.push(body as (typeof told)[number]);
        response.end();
      });
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    scene = await Scene.open({ environment: { NOTIFY_URL: `http://127.0.0.1:${port}/hook` } });
  });
  afterAll(async () => {
    await scene.close();
    receiver.closeAllConnections();
    receiver.close();
    await once(receiver, 'close');
  });

  it('hears once that a key is rejected, and once, after a restart, that it works', async () => {
    const wrong = scene.stage.model.distortions.add({
      how: { kind: 'replaced', status: 401, body: { error: { message: 'bad key' } } },
      matches: () => true,
      times: Infinity,
    });
    scene.ask('Add a word', '');
    await scene.until('the news', () => told.length > 0);
    expect(told).toMatchObject([{ event: 'begun', cause: 'key_rejected', subject: 'openai' }]);
    expect(JSON.stringify(told)).not.toContain(scene.stage.environment['OPENAI_API_KEY']);
    await scene.stop();
    wrong.end();
    const database = new pg.Client({ connectionString: scene.databaseUrl });
    await database.connect();
    await database.query(
      `update issuewright.problems set last_at = last_at - interval '6 minutes'`,
    );
    await database.end();
    await scene.start();
    const issue = scene.ask();
    await scene.untilStatus(issue, /waiting for @.*'s answer/i);
    await scene.until('the other news', () => told.length > 1);
    expect(told.slice(1)).toMatchObject([
      { event: 'over', cause: 'key_rejected', subject: 'openai' },
    ]);
  });
});

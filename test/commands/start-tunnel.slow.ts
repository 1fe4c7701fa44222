import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ServiceProcess } from '../../playground/service-process.ts';
import { Scene } from '../e2e/scene.ts';

let scene: Scene;
let service: ServiceProcess;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.stop();
}, 60_000);
afterAll(async () => {
  await service.stop();
  await scene.close();
});

it('start --tunnel has the App send its webhooks through the tunnel', async () => {
  const { stage, github } = scene;
  github.appOwner.webhookUrl = 'https://a-former-tunnel.example.com/api/github/webhooks';
  const command = `echo ${stage.serviceUrl}; exec sleep 600`;
  service = ServiceProcess.spawn({ ...stage.environment }, 'start', ['--tunnel', command]);
  await service.untilReady();
  await github.waitFor(() => !github.appOwner.webhookUrl.includes('former'), {
    timeoutMs: 25_000,
    what: () => `the new address\n${service.log}`,
  });
  expect(github.appOwner.webhookUrl).toBe(`${stage.serviceUrl}/api/github/webhooks`);
  await scene.untilStatus(scene.ask(), /\S/);
}, 60_000);

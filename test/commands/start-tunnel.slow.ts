import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { ServiceProcess } from '../../packages/local-github/src/service-process.ts';
import { Scene } from '../e2e/scene.ts';
import { EventProxy } from '../support/event-proxy.ts';

const issueOf = ({ issue }: Record<string, unknown>): unknown =>
  (issue as { readonly number?: number } | undefined)?.number;

let scene: Scene;
let service: ServiceProcess;

beforeAll(async () => {
  scene = await Scene.open();
  await scene.stop();
});
afterEach(() => service.stop());
afterAll(() => scene.close());

it('start --tunnel has the App send its webhooks through the tunnel', async () => {
  const { stage, github } = scene;
  github.appOwner.webhookUrl = 'https://a-former-tunnel.example.com/api/github/webhooks';
  const command = `echo ${stage.serviceUrl}; exec sleep 600`;
  service = ServiceProcess.spawn({ ...stage.environment }, 'start', ['--tunnel', command]);
  await service.untilReady();
  await github.waitFor(() => !github.appOwner.webhookUrl.includes('former'), {
    what: () => `the new address\n${service.log}`,
  });
  expect(github.appOwner.webhookUrl).toBe(`${stage.serviceUrl}/api/github/webhooks`);
  await scene.untilStatus(scene.ask(), /\S/);
});

it('start --tunnel runs on while GitHub is down, and has webhooks sent there once it is not', async () => {
  const { stage, github } = scene;
  github.appOwner.webhookUrl = 'https://a-former-tunnel.example.com/api/github/webhooks';
  const path = /\/app\/hook\/config$/;
  const mend = github.faults.failNext({ method: 'GET', path, status: 502, times: Infinity });
  const command = `echo ${stage.serviceUrl}; exec sleep 600`;
  service = ServiceProcess.spawn({ ...stage.environment }, 'start', ['--tunnel', command]);
  await service.untilReady();
  await service.untilLogged(/failed to have webhooks sent through the tunnel; trying again/);
  mend();
  await github.waitFor(() => !github.appOwner.webhookUrl.includes('former'), {
    what: () => `the new address\n${service.log}`,
  });
  expect(github.appOwner.webhookUrl).toBe(`${stage.serviceUrl}/api/github/webhooks`);
});

it('start --tunnel connects again to a proxy that dropped it, and finds what the proxy lost', async () => {
  const { stage } = scene;
  const proxy = await EventProxy.open();
  try {
    service = ServiceProcess.spawn({ ...stage.environment }, 'start', ['--tunnel', proxy.url]);
    await service.untilReady();
    await proxy.untilConnected(1);
    await scene.untilStatus(scene.ask(), /\S/);
    proxy.status = 502;
    proxy.drop();
    await service.untilLogged(/the tunnel broke/);
    const lost = scene.ask();
    await scene.github.webhooksSent();
    // GitHub was told that these have arrived.
    const sent = scene.github.deliveries.filter(({ payload }) => issueOf(payload) === lost.number);
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
    expect(sent.map(({ action }) => action)).toContain('labeled');
    proxy.status = 200;
    await scene.untilStatus(lost, /\S/);
    expect(service.log).toMatch(/the tunnel is open/);
  } finally {
    proxy.close();
  }
});

// The operator replaces keys while the service runs, and revokes the ones from before.
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { freePort } from '../../../packages/local-github/src/free-port.ts';
import { ServiceProcess } from '../../../packages/local-github/src/service-process.ts';
import { newPrivateKey } from '../../../packages/local-github/src/private-key.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { PRIVATE_KEY } from '../../support/private-key.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const turns = [
  say(call('write_file', { path: 'NOTES.md', content: 'Notes\n' })),
  { ...say(call('commit', { message: 'Add notes' })), delay_ms: 300 },
  say(call('finish', { summary: 'Notes are there.', outcome: 'done' })),
];
const SCRIPTS: Script[] = [
  { match: 'Write before', turns },
  { match: 'Write meanwhile', turns },
  { match: 'Write after', turns },
];

const KEYS = { webhook: '7c1f0de94b22a86135d0', model: 'sk-first-5c82a1' };
const NEW_KEYS = { webhook: 'b94e7206d1c35fa8802b', model: 'sk-second-91f0d3' };

let directory: string;
let scene: Scene;

const fileOf = (name: string): string => path.join(directory, name);

/** As a mounted secret changes: another file is at the path at once. */
async function replace(name: string, content: string): Promise<void> {
  await writeFile(fileOf(`${name}.new`), content, { mode: 0o600 });
  await rename(fileOf(`${name}.new`), fileOf(name));
}

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'issuewright-keys-'));
  await replace('app.pem', PRIVATE_KEY);
  await replace('webhook', `${KEYS.webhook}\n`);
  await replace('model', `${KEYS.model}\n`);
  scene = await Scene.open({
    scripts: SCRIPTS,
    environment: {
      PRIVATE_KEY: '',
      PRIVATE_KEY_PATH: fileOf('app.pem'),
      WEBHOOK_SECRET: '',
      WEBHOOK_SECRET_FILE: fileOf('webhook'),
      OPENAI_API_KEY: '',
      OPENAI_API_KEY_FILE: fileOf('model'),
    },
  });
  scene.github.appOwner.change({ webhookSecret: KEYS.webhook });
  scene.stage.model.acceptOnly(KEYS.model);
});
afterAll(async () => {
  await scene.close();
  await rm(directory, { recursive: true });
});

describe('keys that are given as files', () => {
  it('are used', async () => {
    await scene.untilStatus(scene.ask('Write before'), /ready for review/i);
  });

  it('are replaced in the middle of a run, which goes on with the new ones', async () => {
    const { appOwner } = scene.github;
    const held = scene.stage.model.hold(() => true);
    const asked = scene.agentRequests.length;
    const issue = scene.ask('Write meanwhile');
    await scene.untilAgentAsked(asked + 1);
    const key = newPrivateKey();
    await replace('app.pem', key);
    appOwner.replacePrivateKey(key);
    await replace('model', `${NEW_KEYS.model}\n`);
    scene.stage.model.acceptOnly(NEW_KEYS.model);
    held.release();
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.service.log).not.toMatch(/session deferred/);
    expect(scene.service.log).toContain('read the changed key files');
  });

  it('may be two webhook secrets while GitHub gets to know the new one', async () => {
    const { appOwner } = scene.github;
    await replace('webhook', `${KEYS.webhook}\n${NEW_KEYS.webhook}\n`);
    const issue = scene.ask('Write after');
    const comment = (words: string) =>
      scene.maintainer.comment({ repository: scene.repository, number: issue.number }, words);
    appOwner.change({ webhookSecret: NEW_KEYS.webhook });
    comment('/issuewright status');
    await scene.untilStatus(issue, /ready for review/i);
    await scene.github.webhooksSent();
    const statuses = () => new Set(scene.github.deliveries.map(({ status }) => status));
    expect(statuses()).toEqual(new Set([202]));
    await replace('webhook', `${NEW_KEYS.webhook}\n`);
    appOwner.change({ webhookSecret: KEYS.webhook });
    comment('Signed with what is not accepted any more.');
    await scene.github.webhooksSent();
    expect(statuses()).toEqual(new Set([202, 401]));
  });

  it('stay as they were while a file holds nothing that could be used', async () => {
    const { service, maintainer } = scene;
    scene.github.appOwner.change({ webhookSecret: NEW_KEYS.webhook });
    await replace('webhook', 'short\n');
    const [first] = scene.repository.issues;
    maintainer.comment({ repository: scene.repository, number: first?.number ?? 0 }, 'Thank you.');
    await scene.github.webhooksSent();
    expect(scene.github.deliveries.at(-1)?.status).toBe(202);
    expect(service.log).toMatch(/WEBHOOK_SECRET: must have at least 16 characters.*stay in use/);
  });

  it('are in no log', () => {
    const { log } = scene.service;
    for (const secret of [...Object.values(KEYS), ...Object.values(NEW_KEYS)])
      expect(log).not.toContain(secret);
  });
});

describe('a key that GitHub has never accepted', () => {
  it('leaves a service that is not ready, and says so last', async () => {
    const [port, pagesPort] = [await freePort(), await freePort()];
    const service = ServiceProcess.spawn({
      ...scene.stage.environment,
      PRIVATE_KEY: newPrivateKey(),
      PRIVATE_KEY_PATH: '',
      WEBHOOK_SECRET: KEYS.webhook,
      WEBHOOK_SECRET_FILE: '',
      PORT: String(port),
      PAGES_PORT: String(pagesPort),
    });
    // It reads the log, and ends with the service.
    const started = service.untilReady().catch(messageOf);
    try {
      await Promise.race([started, service.untilLogged(/failed to authenticate with GitHub/)]);
      expect(service.log).toMatch(/session pages are ready[^]*failed to authenticate with GitHub/);
      const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([
        503,
        { status: 'not ready', reason: "GitHub does not accept the App's key" },
      ]);
      expect(service.log).not.toContain('Issuewright is ready');
    } finally {
      await service.stop();
    }
    expect(await started).toMatch(/the service did not start/);
  });
});

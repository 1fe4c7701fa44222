// Faults to plant in a set-up that is well, and what the doctor says of each.
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EVENTS, PERMISSIONS } from '../../packages/local-github/src/github/local-github.ts';
import { newPrivateKey } from '../../packages/local-github/src/private-key.ts';
import { OF_THE_MACHINE } from './doctor-machine-faults.ts';
import { OF_REPOSITORIES } from './doctor-repository-faults.ts';
import { INSTALLATION, NOWHERE, type Case, type DoctorScene } from './doctor-scene.ts';

const SETTINGS: readonly Case[] = [
  {
    fault: 'a secret that is missing',
    check: 'settings',
    says: /^WEBHOOK_SECRET: missing/,
    cure: /\.env/,
    plant: () => ({ settings: { WEBHOOK_SECRET: '' } }),
  },
  {
    fault: 'a setting that is misspelled',
    check: 'settings',
    says: /^ALLOWED_BOT is ignored/,
    cure: /Rename it to ALLOWED_BOTS/,
    plant: () => ({ settings: { ALLOWED_BOT: 'some-bot[bot]' } }),
  },
  {
    fault: 'a file of certificates that is not there',
    check: 'settings',
    says: /^NODE_EXTRA_CA_CERTS: the file \/no\/such\/ca\.pem cannot be read \(ENOENT\)/,
    cure: /\.env/,
    plant: (doctor) => {
      const file = join(doctor.directory, '.env');
      writeFileSync(file, 'NODE_EXTRA_CA_CERTS=/no/such/ca.pem\n', { mode: 0o600 });
      return { undo: () => rmSync(file) };
    },
  },
  {
    fault: 'a proxy of another kind',
    check: 'settings',
    says: /^HTTPS_PROXY: must be the address of an HTTP proxy/,
    cure: /\.env/,
    plant: () => ({ settings: { https_proxy: 'socks5://proxy.example:1080' } }),
  },
  {
    fault: 'a private key that others can read',
    check: 'secrets',
    says: /Other users .* can read .*key\.pem/,
    cure: /chmod 600/,
    plant: (doctor) => {
      const file = join(doctor.directory, 'key.pem');
      writeFileSync(file, doctor.scene.stage.environment['PRIVATE_KEY'] ?? '');
      chmodSync(file, 0o644);
      return { settings: { PRIVATE_KEY: '', PRIVATE_KEY_PATH: file } };
    },
  },
];

/** The file of a service that accepts two webhook secrets. `lines`: with that of the App as `used`. */
const twoSecrets =
  (lines: (used: string) => readonly string[]): Case['plant'] =>
  (doctor) => {
    const file = join(doctor.directory, 'webhook-secrets');
    const used = doctor.scene.stage.webhookSecret;
    writeFileSync(file, `${lines(used).join('\n')}\n`, { mode: 0o600 });
    return { settings: { WEBHOOK_SECRET: '', WEBHOOK_SECRET_FILE: file } };
  };

const OTHER_SECRET = 'b94e7206d1c35fa8802b';

const OF_SECRETS: readonly Case[] = [
  {
    fault: 'a webhook secret that GitHub does not use yet',
    check: 'webhook',
    says: /The service accepts two webhook secrets, and GitHub signs with the first one/,
    cure: /Set the second one in the App's settings/,
    plant: twoSecrets((used) => [used, OTHER_SECRET]),
  },
  {
    fault: 'a webhook secret that GitHub does not use any more',
    check: 'webhook',
    says: /The service accepts two webhook secrets, and GitHub signs with the second one/,
    cure: /Remove the first one/,
    plant: twoSecrets((used) => [OTHER_SECRET, used]),
  },
];

const OF_THE_APP: readonly Case[] = [
  {
    fault: 'the key of another App',
    check: 'app',
    says: /GET \/app returned 401/,
    cure: /private key/,
    plant: () => ({ settings: { PRIVATE_KEY: newPrivateKey() } }),
  },
  {
    fault: 'an App that does not exist',
    check: 'app',
    says: /no App with the ID in APP_ID/,
    cure: /APP_ID/,
    plant: () => ({ settings: { APP_ID: '4711' } }),
  },
  {
    fault: 'a GitHub that cannot be reached',
    check: 'clock',
    says: /fetch failed|refused/,
    cure: /network.*GHE_HOST/,
    plant: () => ({ settings: { GHE_HOST: NOWHERE } }),
  },
  {
    fault: 'a clock that is wrong',
    check: 'clock',
    says: /1\d\d s ahead of GitHub's: GitHub rejects/,
    cure: /Set the clock/,
    plant: () => {
      const late = pathToFileURL(resolve('test/support/jest/later-clock.js')).href;
      return { settings: { NODE_OPTIONS: `--import=${late}` } };
    },
  },
  {
    fault: 'a permission that the App does not ask for',
    check: 'permissions',
    says: /does not ask for issues: write/,
    cure: /settings\/apps\/issuewright\/permissions/,
    plant: (doctor) => {
      const { appOwner } = doctor.scene.github;
      appOwner.change({ permissions: { ...PERMISSIONS, issues: 'read' } });
      return { undo: () => appOwner.change({ permissions: { ...PERMISSIONS } }) };
    },
  },
  {
    fault: 'a permission that waits for approval',
    check: 'permissions',
    says: /^example has not approved pull_requests: write/,
    cure: /approves it at .*\/settings\/installations\/1/,
    plant: (doctor) => {
      const { installations } = doctor.scene.github;
      installations.grant(INSTALLATION, { ...PERMISSIONS, pull_requests: 'read' });
      return { undo: () => installations.grant(INSTALLATION, PERMISSIONS) };
    },
  },
  {
    fault: 'a client secret of another App',
    check: 'sign-in',
    says: /does not accept CLIENT_ID and CLIENT_SECRET \(incorrect_client_credentials/,
    cure: /settings\/apps\/issuewright, and generate/,
    plant: () => ({
      settings: { CLIENT_SECRET: '3f9a71c0d2b84e65' },
    }),
  },
  {
    fault: 'an assignee that issues cannot be assigned to',
    check: 'assign',
    says: /cannot be assigned to nobody-here \(ASSIGNEE_LOGIN\)/,
    cure: /read access.*settings\/access/,
    plant: () => ({ settings: { ASSIGNEE_LOGIN: 'nobody-here' } }),
  },
  {
    fault: 'an event without subscription',
    check: 'events',
    says: /does not subscribe to issue_comment/,
    cure: /Subscribe/,
    plant: (doctor) => {
      const { appOwner } = doctor.scene.github;
      appOwner.change({ events: EVENTS.filter((one) => one !== 'issue_comment') });
      return { undo: () => appOwner.change({ events: EVENTS }) };
    },
  },
  {
    fault: 'an installation that lacks an event of the App',
    check: 'events',
    says: /does not send pull_request_review for the installation on example/,
    cure: /approves the pending request at .*\/settings\/installations\/1/,
    plant: (doctor) => {
      const { installations } = doctor.scene.github;
      installations.setEvents(
        INSTALLATION,
        EVENTS.filter((one) => one !== 'pull_request_review'),
      );
      return { undo: () => installations.setEvents(INSTALLATION, undefined) };
    },
  },
  {
    fault: 'an account without installation',
    check: 'installations',
    says: /not installed on other-org/,
    cure: /apps\/issuewright\/installations\/new/,
    plant: () => ({ settings: { ALLOWED_OWNERS: 'example,other-org' } }),
  },
  {
    fault: 'an installation that is suspended',
    check: 'installations',
    says: /installation on example is suspended/,
    cure: /unsuspend/,
    plant: (doctor) => {
      const { installations } = doctor.scene.github;
      installations.suspend(INSTALLATION);
      return { undo: () => installations.unsuspend(INSTALLATION) };
    },
  },
];

const OF_WEBHOOKS: readonly Case[] = [
  {
    fault: 'a service that does not run',
    check: 'service',
    says: /^No service answers/,
    cure: /issuewright start/,
    plant: () => ({ settings: { PORT: '1', PAGES_PORT: '2' } }),
  },
  {
    fault: 'a webhook address with another path',
    check: 'webhook',
    says: /not the path of Issuewright/,
    cure: /\/api\/github\/webhooks/,
    plant: (doctor) => movedTo(doctor, `${doctor.scene.stage.serviceUrl}/webhooks`),
  },
  {
    fault: 'a webhook address that leads nowhere',
    check: 'delivery',
    says: /does not reach .*could not connect/,
    cure: /proxy or its tunnel/,
    plant: (doctor) => movedTo(doctor, `http://${NOWHERE}/api/github/webhooks`),
  },
  {
    fault: 'a webhook secret that differs',
    check: 'delivery',
    says: /^GitHub reaches \S+, but the answer was 401\.$/,
    cure: /WEBHOOK_SECRET to the same value/,
    plant: (doctor) => {
      const { appOwner } = doctor.scene.github;
      appOwner.change({ webhookSecret: 'what GitHub has instead' });
      return { undo: () => appOwner.change({ webhookSecret: doctor.scene.stage.webhookSecret }) };
    },
  },
  {
    fault: 'deliveries that did not arrive',
    check: 'deliveries',
    says: /1 of the deliveries .* did not arrive/,
    cure: /tunnel/,
    plant: async (doctor) => {
      const { github, repository, maintainer } = doctor.scene;
      const moved = movedTo(doctor, `http://${NOWHERE}/api/github/webhooks`);
      maintainer.openIssue(repository, { title: 'Lost', body: '' });
      await github.webhooksSent();
      moved.undo();
      return { undo: () => github.redeliver(github.deliveries.at(-1)?.guid ?? '') };
    },
  },
  {
    fault: 'a port that another program has',
    check: 'service',
    says: /^\S+ \(PID \d+\) has port \d+ \(PORT\), and no service answers/,
    cure: /Stop that program, or set PORT/,
    plant: async () => {
      // What is not read keeps a connection open.
      const server = createServer((socket) => socket.resume().end('no HTTP\r\n'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
      const { port } = server.address() as AddressInfo;
      return { settings: { PORT: String(port) }, undo: () => server.close() };
    },
  },
];

function movedTo(doctor: DoctorScene, url: string) {
  const { appOwner } = doctor.scene.github;
  const before = appOwner.webhookUrl;
  appOwner.webhookUrl = url;
  return {
    undo: () => {
      appOwner.webhookUrl = before;
    },
  };
}

const OF_MODELS: readonly Case[] = [
  {
    fault: 'a model whose key is rejected',
    check: 'model',
    says: /^openai:scripted does not answer: .*401|key/,
    cure: /key of its provider/,
    plant: (doctor) => {
      const how = {
        kind: 'replaced',
        status: 401,
        body: { error: { message: 'bad key' } },
      } as const;
      const distorted = doctor.scene.stage.model.distortions.add({
        how,
        matches: () => true,
        times: Infinity,
      });
      return { undo: () => distorted.end() };
    },
  },
  {
    fault: 'a model that its server does not have',
    check: 'model',
    says: /^openai:scripted does not answer: /,
    cure: /MODEL/,
    plant: (doctor) => {
      const distorted = doctor.scene.stage.model.distortions.add({
        how: {
          kind: 'replaced',
          status: 404,
          body: { error: { code: 'model_not_found', message: 'The model does not exist.' } },
        },
        matches: () => true,
        times: Infinity,
      });
      return { undo: () => distorted.end() };
    },
  },
  {
    fault: 'a model without a known price',
    check: 'model',
    says: /price of openai:scripted is unknown/,
    cure: /MODEL_CATALOG/,
    plant: () => ({ settings: { MODEL_CATALOG: '' } }),
  },
];

export const FAULTS: readonly Case[] = [
  ...SETTINGS,
  ...OF_SECRETS,
  ...OF_THE_APP,
  ...OF_WEBHOOKS,
  ...OF_REPOSITORIES,
  ...OF_THE_MACHINE,
  ...OF_MODELS,
];

// Faults to plant in a set-up that is well, and what the doctor says of each.
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { EVENTS, PERMISSIONS } from '../../packages/local-github/src/github/local-github.ts';
import { newPrivateKey } from '../../packages/local-github/src/private-key.ts';
import { OF_REPOSITORIES } from './doctor-repository-faults.ts';
import { INSTALLATION, type Case, type DoctorScene } from './doctor-scene.ts';

/** Nothing listens there. */
export const NOWHERE = '127.0.0.1:1';

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
    says: /Two webhook secrets are accepted, and GitHub signs with the first one/,
    cure: /Set the second one in the App's settings/,
    plant: twoSecrets((used) => [used, OTHER_SECRET]),
  },
  {
    fault: 'a webhook secret that GitHub does not use any more',
    check: 'webhook',
    says: /Two webhook secrets are accepted, and GitHub signs with the second one/,
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
    says: /the answer was 401/,
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
      const server = createServer((socket) => socket.end('no HTTP\r\n'));
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

const OF_THE_MACHINE: readonly Case[] = [
  {
    fault: 'a data directory that cannot be made',
    check: 'disk',
    says: /^Cannot write what is kept of repositories \(DATA_DIR\) to \/.*\/a-file: not a directory/,
    cure: /set DATA_DIR to another/,
    plant: (doctor) => {
      const file = join(doctor.directory, 'a-file');
      writeFileSync(file, '');
      return { settings: { DATA_DIR: join(file, 'data') } };
    },
  },
  {
    fault: 'a directory for temporary files that is gone',
    check: 'disk',
    says: /^Cannot write clones \(TMPDIR\) to \/.*\/gone: no such file/,
    cure: /set TMPDIR to another/,
    plant: (doctor) => ({ settings: { TMPDIR: join(doctor.directory, 'gone') } }),
  },
  {
    fault: 'a database that does not answer',
    check: 'database',
    says: /Cannot open the database at 127\.0\.0\.1:1/,
    cure: /DATABASE_URL/,
    plant: () => ({ settings: { DATABASE_URL: `postgres://me@${NOWHERE}/none` } }),
  },
  {
    fault: 'an hour whose writes are used up',
    check: 'budget',
    says: /^\d+ of \d+ writes an hour are left for example/,
    cure: /CONCURRENCY_INSTALLATION/,
    plant: async (doctor) => {
      const database = new pg.Client({ connectionString: doctor.scene.databaseUrl });
      await database.connect();
      await database.query(
        `insert into issuewright.writes (installation, at)
         select $1, now() - interval '10 minutes' from generate_series(1, 490)`,
        [INSTALLATION],
      );
      return {
        undo: async () => {
          await database.query(
            `delete from issuewright.writes where at < now() - interval '9 minutes'`,
          );
          await database.end();
        },
      };
    },
  },
  {
    fault: 'a budget that is used up',
    check: 'problems',
    says: /^Since .* UTC: BUDGET_DAY is used up/,
    cure: /ends by itself/,
    plant: (doctor) => plantProblem(doctor, {}),
  },
  {
    fault: 'an address that takes no notifications',
    check: 'problems',
    says: /^The address in NOTIFY_URL does not take messages/,
    cure: /log of the service/,
    plant: (doctor) => plantProblem(doctor, { NOTIFY_URL: `http://${NOWHERE}/hook` }),
  },
];

async function plantProblem(doctor: DoctorScene, settings: Record<string, string>) {
  const database = new pg.Client({ connectionString: doctor.scene.databaseUrl });
  await database.connect();
  // A cause that no process ends by itself.
  await database.query(
    `insert into issuewright.problems (cause, subject, text, since, taken_until)
     values ('key_rejected', 'planted', 'BUDGET_DAY is used up.', now() - interval '1 hour', 'infinity')`,
  );
  return {
    settings,
    undo: async () => {
      await database.query(`delete from issuewright.problems where subject = 'planted'`);
      await database.end();
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

/** With mounts of its own, so only for root. */
export const OF_OTHER_MACHINES: readonly Case[] = [
  {
    fault: 'a disk that is almost full',
    check: 'disk',
    says: /^0\.0 GiB are free for clones \(TMPDIR\) in \//,
    cure: /Free some space/,
    plant: () => ({
      machine:
        'mkdir -p small && mount -t tmpfs -o size=16m none small && export TMPDIR="$PWD/small"',
    }),
  },
  {
    fault: 'a data directory on a disk that is read-only',
    check: 'disk',
    says: /^Cannot write what is kept of repositories \(DATA_DIR\) to \/.*: read-only file system/,
    cure: /Let user \d+, who runs this command, write there/,
    plant: () => ({
      machine: 'mkdir -p fixed && mount -t tmpfs -o ro none fixed && export DATA_DIR="$PWD/fixed"',
    }),
  },
  {
    fault: 'a machine without git',
    check: 'git',
    says: /cannot clone and merge with git: its machine has no git/,
    cure: /Install git 2\.38/,
    plant: () => ({ machine: without('git') }),
  },
  {
    fault: 'a machine without bubblewrap',
    check: 'sandbox',
    says: /The sandbox does not hold/,
    cure: /Install the package `bubblewrap`/,
    plant: () => ({ machine: without('bwrap') }),
  },
];

const without = (program: string): string =>
  `mount -t tmpfs none /mnt; cp -a /usr/bin/. /mnt; rm /mnt/${program}; mount --bind /mnt /usr/bin`;

import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventProxy } from '../support/event-proxy.ts';
import { isRoot } from '../support/other-user.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { PERMISSIONS } from '../../packages/local-github/src/github/local-github.ts';
import { FAULTS } from './doctor-faults.ts';
import { OF_OTHER_MACHINES } from './doctor-machine-faults.ts';
import { ruled } from './doctor-repository-faults.ts';
import {
  INSTALLATION,
  NOWHERE,
  openDoctorScene,
  type Case,
  type DoctorScene,
} from './doctor-scene.ts';

let doctor: DoctorScene;
beforeAll(async () => {
  doctor = await openDoctorScene();
});
afterAll(() => doctor.scene.close());

it('says of a set-up with nothing wrong in it that all is well', async () => {
  const { code, ok, findings } = await doctor.examine();
  expect(findings.filter(({ state }) => state !== 'ok')).toEqual([]);
  expect([code, ok]).toEqual([0, true]);
  expect(await doctor.read()).toMatch(/\nAll is well\.\n$/);
});

const find = async ({ check, says, cure, plant }: Case): Promise<void> => {
  const { settings, machine, undo } = await plant(doctor);
  try {
    const { code, findings } = await doctor.examine(settings, machine);
    const found = findings.find((one) => one.check === check && says.test(one.text));
    expect({ found, findings }).toEqual({
      found: expect.objectContaining({ cure: expect.stringMatching(cure) }),
      findings,
    });
    expect(code).toBe(findings.some(({ state }) => state === 'fault') ? 1 : 0);
  } finally {
    await undo?.();
  }
};

describe('finds, with its cure,', () => {
  it.each(FAULTS)('$fault', find);

  const ofRoot = isRoot ? it : it.skip;
  ofRoot.each(OF_OTHER_MACHINES)('$fault', find);
});

it('counts as read what the service took from the list of GitHub', async () => {
  const { scene } = doctor;
  const { github, maintainer, repository } = scene;
  const { appOwner } = github;
  const before = appOwner.webhookUrl;
  appOwner.webhookUrl = `http://${NOWHERE}/api/github/webhooks`;
  maintainer.label(
    scene.thread(maintainer.openIssue(repository, { title: 'Missed', body: '' })),
    SAMPLE.label,
  );
  await github.webhooksSent();
  appOwner.webhookUrl = before;
  expect(await saysOf('deliveries')).toEqual(['warning', expect.stringMatching(/did not arrive/)]);
  await scene.stop();
  await scene.start();
  await scene.until('what was missed is read', () =>
    /received events that were missed/.test(scene.stage.log()),
  );
  expect(await saysOf('deliveries')).toEqual([
    'ok',
    expect.stringMatching(/arrived, or were read from GitHub's list \(\d+\)/),
  ]);
  // Its session is at rest then, and creates no more labels in what follows.
  await scene.until('its question', () =>
    repository.labels.some(({ name }) => name === 'issuewright:question'),
  );
});

describe('--fix', () => {
  it('creates a label that is missing', async () => {
    const { labels } = doctor.scene.repository;
    labels.splice(0);
    expect(await doctor.read()).toMatch(/\nhint +label .*\n[^]*\nAll is well\. Hints: 1\.\n$/);
    const said = await doctor.read(['--fix']);
    expect(said).toMatch(/\nfixed +label +Created the label `issuewright` in example\/\S+\.\n/);
    expect(said).toMatch(/\nAll is well\.\n$/);
    expect(labels.map(({ name }) => name)).toEqual(['issuewright']);
    expect(await doctor.read()).not.toMatch(/^(?:hint|fixed)/m);
  });

  it('hides files with secrets from other users', async () => {
    const file = join(doctor.directory, '.env');
    const files = [file, `${file}.old`];
    for (const one of files) {
      writeFileSync(one, '# mine\n');
      chmodSync(one, 0o644);
    }
    try {
      const said = await doctor.read(['--fix']);
      expect(said.match(/^fixed +secrets +Only you can read \/\S+ now\.$/gm)).toHaveLength(2);
      expect(files.map((one) => statSync(one).mode & 0o777)).toEqual([0o600, 0o600]);
    } finally {
      for (const one of files) rmSync(one);
    }
  });
});

it('prints a cure once, behind the last of the findings of a check that share it', async () => {
  const changed = { APP_ID: '', PRIVATE_KEY: '', WEBHOOK_SECRET: '' };
  const { findings } = await doctor.examine(changed);
  const cures = findings.flatMap(({ check, cure }) => (check === 'settings' ? (cure ?? []) : []));
  const lines = (await doctor.read([], changed)).split('\n');
  expect(cures.length).toBeGreaterThan(new Set(cures).size);
  for (const cure of new Set(cures))
    expect(lines.filter((line) => line.endsWith(`→ ${cure}`))).toHaveLength(1);
});

it('names what it could not check in one line for each reason, and each check in its JSON', async () => {
  const changed = { LOG_LEVEL: 'verbose' };
  const { findings } = await doctor.examine(changed);
  const skipped = findings.flatMap(({ state, check }) => (state === 'skipped' ? check : []));
  expect(skipped.length).toBeGreaterThan(15);
  const lines = (await doctor.read([], changed)).trimEnd().split('\n');
  expect(lines.filter((line) => line.startsWith('-'))).toEqual([
    expect.stringMatching(`^- +${skipped.join(', ')} Not checked: the settings are invalid\\.$`),
  ]);
  expect(lines.some((line) => line.startsWith('FAULT'))).toBe(true);
  expect(lines.length).toBeLessThan(findings.length - skipped.length + 4);
});

it('shows no secret, whatever is wrong', async () => {
  const { WEBHOOK_SECRET = '', OPENAI_API_KEY = '' } = doctor.scene.stage.environment;
  const said = JSON.stringify(await doctor.examine({ GHE_HOST: NOWHERE }));
  expect(said).not.toContain(WEBHOOK_SECRET);
  expect(said).not.toContain(OPENAI_API_KEY);
});

/** What one check says, in its first line. */
async function saysOf(check: string): Promise<readonly [string | undefined, string | undefined]> {
  const { findings } = await doctor.examine();
  const found = findings.find((one) => one.check === check);
  return [found?.state, found?.text];
}

describe('says what it found, if nothing is wrong:', () => {
  it('whether webhooks of repositories were read', async () => {
    const { installations } = doctor.scene.github;
    expect(await saysOf('rivals')).toEqual([
      'ok',
      'No other App does the same work. Repository webhooks were not read: the App lacks `repository_hooks: read`.',
    ]);
    installations.grant(INSTALLATION, { ...PERMISSIONS, repository_hooks: 'read' });
    try {
      expect(await saysOf('rivals')).toEqual(['ok', 'No other App or webhook does the same work.']);
    } finally {
      installations.grant(INSTALLATION, PERMISSIONS);
    }
  });

  it('whether GitHub offers the App as an assignee', async () => {
    const { scene } = doctor;
    const { appOwner, installations, faults } = scene.github;
    const says = (text: RegExp) => ['ok', expect.stringMatching(text)];
    expect(await saysOf('assign')).toEqual(
      says(/^GitHub does not offer issuewright\[bot\] as an assignee .* Checked 1 repository\.$/),
    );
    appOwner.change({ isAssignable: true });
    const other = await scene.github.createRepository({
      owner: SAMPLE.owner,
      name: 'second',
      files: { 'README.md': '# Second' },
      collaborators: {},
    });
    try {
      expect(await saysOf('assign')).toEqual(
        says(
          /^Issues of all 2 repositories can be assigned to issuewright\[bot\]\. Checked 2 repositories\.$/,
        ),
      );
      const denied = { errors: [{ type: 'FORBIDDEN', message: 'No.' }], data: null };
      faults.distortions.add({
        how: { kind: 'replaced', status: 200, body: denied },
        matches: (_method, path) => path.endsWith('/graphql'),
        after: 1,
      });
      expect(await saysOf('assign')).toEqual(
        says(
          /^Issues of (\S+) can be assigned to issuewright\[bot\]\. GitHub does not say whether issues of (?!\1)\S+ can be assigned .* Checked 2 repositories\.$/,
        ),
      );
    } finally {
      appOwner.change({ isAssignable: false });
      installations.remove(other);
    }
  });

  it.each(['always', 'exempt'] as const)(
    'that no rule blocks pushes, if the App may bypass it (%s)',
    async (mode) => {
      const { undo } = ruled(doctor, 'creation', mode);
      try {
        expect(await saysOf('rules')).toEqual(['ok', 'No rule blocks pushes to session branches.']);
      } finally {
        undo();
      }
    },
    300_000,
  );

  it('that webhooks come through a proxy', async () => {
    const { appOwner } = doctor.scene.github;
    const before = appOwner.webhookUrl;
    const proxy = await EventProxy.open();
    appOwner.webhookUrl = proxy.url;
    try {
      expect(await saysOf('webhook')).toEqual([
        'ok',
        expect.stringMatching(/^Webhooks go to the proxy .*start --tunnel/),
      ]);
    } finally {
      appOwner.webhookUrl = before;
      proxy.close();
    }
  });
});

it('has GitHub redeliver only a webhook that has no effect the second time', async () => {
  const { scene } = doctor;
  const { github, maintainer } = scene;
  const sent = () => github.deliveries.length;
  github.forgetDeliveries();
  maintainer.openIssue(scene.repository, { title: 'A', body: 'B' });
  await github.webhooksSent();
  const before = sent();
  expect(github.deliveries.map(({ status }) => status)).not.toContain(undefined);
  expect(await saysOf('delivery')).toEqual([
    'hint',
    expect.stringMatching(/^Could not test whether/),
  ]);
  expect(sent()).toBe(before);

  await scene.untilStatus(scene.ask('Another one'), /\S/);
  maintainer.openIssue(scene.repository, { title: 'C', body: 'D' });
  await github.webhooksSent();
  expect(await saysOf('delivery')).toEqual(['ok', expect.stringMatching(/^GitHub reaches/)]);
  const [again, ...more] = github.deliveries.filter(({ redelivery }) => redelivery);
  expect([again?.event, again?.action, more]).toEqual(['issues', 'labeled', []]);
  expect(again?.payload).toMatchObject({ issue: { title: 'Another one' } });
});

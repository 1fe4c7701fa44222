import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { FalsifiableId } from '../../packages/local-github/src/github/behaviours/rules.ts';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import { ServiceProcess } from '../../packages/local-github/src/service-process.ts';
import { runProgram } from '../support/run-program.ts';
import { startProgram } from './by-hand-scene.ts';
import { marked, OWNER, ProveScene, remainsOf } from './prove-scene.ts';
import { sendWrongRequests } from '../support/github-schemas/wrong-requests.ts';

sendWrongRequests();

let scene: ProveScene;
beforeAll(async () => {
  scene = await ProveScene.open();
});
afterAll(() => scene.close());

const REMAINS = {
  branches: ['main'],
  labels: [],
  open: 0,
  files: ['.github', '.github/issuewright.yml'],
  rules: [],
  mergesByItself: false,
};
/** Of GitHub alone, and of the work on an issue. */
const STORY = /^story-/;

const doctorSays = async (): Promise<string> => {
  const { environment, directory } = scene;
  const { stdout } = await runProgram(['doctor'], { environment, directory });
  return /^.*\bproof .*$/m.exec(stdout)?.[0] ?? '';
};

describe('issuewright prove', () => {
  it('finds all beliefs to hold, and leaves an empty repository with its first commit', async () => {
    const repository = await scene.create('whole');
    expect(await doctorSays()).toMatch(/^ok .*Not run yet/);
    const file = join(scene.directory, 'report.md');
    const ended = await scene.prove(`${OWNER}/whole`, ['--report', file]);
    expect([marked('✗', ended), marked('–', ended)]).toEqual([[], []]);
    expect(marked('✓', ended).filter((id) => STORY.test(id))).toHaveLength(9);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/No service is running/);
    const report = readFileSync(file, 'utf8');
    expect(report).toMatch(/✓ `story-end`/);
    for (const word of scene.privateWords) expect(report).not.toContain(word);
    expect(await remainsOf(repository)).toEqual(REMAINS);
    expect(await doctorSays()).toMatch(/^ok .*confirmed \d+ beliefs/);
  });

  it('has the service that runs do the work, without its model', async () => {
    const repository = await scene.create('served');
    const service = ServiceProcess.spawn({
      ...scene.environment,
      DATA_DIR: join(scene.directory, 'served'),
      MODEL: 'openai:real',
      OPENAI_API_KEY: 'sk-none',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
    });
    try {
      await service.untilReady();
      const ended = await scene.prove(`${OWNER}/served`, [], { ASSIGNEE_LOGIN: '' });
      expect(ended.stdout).toMatch(/The running service does the work/);
      expect([marked('✗', ended), ended.code]).toEqual([[], 0]);
      expect(marked('–', ended)).toEqual(['review-requests']);
      expect(ended.stdout).toMatch(/– review-requests: [^]*?\n {4}ASSIGNEE_LOGIN is not set\n/);
      expect((await remainsOf(repository)).branches).toEqual(['main']);
      const other = await scene.create('served-other', { 'app.js': '1;\n' });
      const refused = await scene.prove(`${OWNER}/served-other`, ['--yes']);
      expect(refused.stdout).toMatch(/– story-first-sign[^]*at its price/);
      expect((await remainsOf(other)).branches).toEqual(['main']);
    } finally {
      await service.stop();
    }
  });

  it('changes no branch of a repository with content, which it uses only if asked to', async () => {
    const repository = await scene.create('kept', { 'app.js': '1;\n', 'README.md': '# App\n' });
    const head = await repository.git.head('main');
    const refused = await scene.prove(`${OWNER}/kept`);
    expect(refused.stderr).toMatch(/has content of its own \(app\.js\), so nothing was done/);
    expect([refused.code, repository.issues]).toEqual([1, []]);
    const ended = await scene.prove(`${OWNER}/kept`, ['--yes']);
    expect([marked('✗', ended), ended.code]).toEqual([[], 0]);
    expect(marked('–', ended).filter((id) => !STORY.test(id))).toEqual([
      'review-requests',
      'auto-merge-of-known-head',
      'auto-merge-ends-by-push',
    ]);
    expect(await repository.git.head('main')).toBe(head);
    expect(await remainsOf(repository)).toMatchObject({ branches: ['main'], labels: [], open: 0 });
  });

  it.each<[when: string, name: string, isThen: (repository: Repository) => boolean]>([
    ['while a rule waits', 'ruled', ({ rulesets }) => rulesets.length > 0],
    [
      'during the work on the issue',
      'stopped',
      ({ issues }) => issues.some(({ labels }) => labels.length > 0),
    ],
  ])('removes what it made when it is stopped %s', async (_when, name, isThen) => {
    const repository = await scene.create(name);
    const { program, printed, ended } = startProgram(
      ['prove', `${OWNER}/${name}`],
      scene.directory,
      {
        ...scene.environment,
      },
    );
    await scene.github.waitFor(() => isThen(repository), { what: name, timeoutMs: 180_000 });
    program.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 130 });
    expect(printed()).toMatch(/Stopping, and removing[^]*stopped before the end/);
    expect(await remainsOf(repository)).toEqual(REMAINS);
  });
});

describe('issuewright prove on a GitHub with one rule less', () => {
  beforeAll(() => scene.create('wrong'));

  /** And the beliefs that say the same of it. */
  it.each<FalsifiableId>([
    'app-commits-are-signed',
    'body-limit',
    'draft-is-not-merged',
    'labels-ignore-case',
    'locked-conversation',
    'own-pull-approval',
    'reaction-once',
    'redelivery-keeps-guid',
    'reopen-of-merged',
    'resolve-thread',
    'sub-issue-added-last',
    'workflow-files',
  ])('names %s, and nothing else', async (id) => {
    scene.github.rules.falsify(id);
    try {
      const ended = await scene.prove(`${OWNER}/wrong`, ['--quick']);
      expect([marked('✗', ended), ended.code]).toEqual([[id], 1]);
      const [, report = ''] = ended.stdout.split('The report, without secrets and names:');
      expect(report).toMatch(new RegExp(`✗ \`${id}\` .*\n.*\n? +- (?:GET|P\\w+|GraphQL) `));
      for (const word of scene.privateWords) expect(report).not.toContain(word);
      expect(await doctorSays()).toMatch(
        new RegExp(`^WARNING .*found these beliefs wrong: ${id}\\.`),
      );
    } finally {
      scene.github.rules.restore();
    }
  });
});

describe('issuewright prove says what to do', () => {
  beforeAll(() => scene.create('plain'));

  it.each([
    ['if the name is none', 'plain', {}, 2, /not the name of a repository/],
    ['if there is no token', `${OWNER}/plain`, { GITHUB_TOKEN: '' }, 1, /Your token is missing/],
    ['if the token is wrong', `${OWNER}/plain`, { GITHUB_TOKEN: 'x' }, 1, /did not accept your/],
    ['if the token is of an App', `${OWNER}/plain`, { GITHUB_TOKEN: 'ghs_x' }, 1, /of a person/],
    [
      'if the person may not write',
      `${OWNER}/plain`,
      { GITHUB_TOKEN: 'user_stranger' },
      1,
      /may not write/,
    ],
    ['if the App is not there', 'nobody/plain', {}, 1, /not installed on nobody\. Install it at/],
    ['if there is no such repository', `${OWNER}/none`, {}, 1, /but not on \S+\/none/],
    ['if there are no settings', `${OWNER}/plain`, { APP_ID: '' }, 1, /APP_ID {2}missing/],
  ] as const)('%s', async (_when, repository, changes, code, words) => {
    const ended = await scene.prove(repository, [], changes);
    expect([ended.code, ended.stdout]).toEqual([code, '']);
    expect(ended.stderr).toMatch(words);
  });
});

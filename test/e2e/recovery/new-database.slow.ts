// A data directory that is lost, or not the one that is meant: through the shipped service.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { prepareData } from '../../support/prepared-data.ts';
import { runProgram } from '../../support/run-program.ts';
import { Scene } from '../scene.ts';

const call = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const FINISH = call('finish', { summary: 'It does.', outcome: 'nothing_to_do' });
const WHICH = call('ask_question', { questions: [{ question: 'Which?', default: 'The first.' }] });

const SCRIPTS: Script[] = [
  { match: 'Before it', turns: [FINISH, { ...FINISH, when: 'again' }] },
  { match: 'Missed', turns: [FINISH] },
  { match: 'After it', turns: [FINISH] },
  { match: 'A question', turns: [WHICH, { ...FINISH, when: 'The green one' }] },
];

describe('a service with another database than before', () => {
  let scene: Scene;
  let before: Issue;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS, ownDatabase: true });
  });
  afterAll(() => scene.close());

  const dataDir = () => path.join(scene.directory, 'data');
  const run = async (...words: readonly string[]) =>
    runProgram(words, { environment: scene.stage.environment, directory: scene.directory });
  const requests = () => scene.agentRequests.length;

  it('says in the first line of its log where its data is', () => {
    const [first = ''] = scene.stage.log().split('\n');
    expect(JSON.parse(first)).toMatchObject({
      msg: 'Issuewright is starting',
      dataDir: dataDir(),
      database: 'embedded',
    });
  });

  it('does not start if GitHub has status comments that the database does not know', async () => {
    before = scene.ask('Before it', '');
    await scene.untilStatus(before, /nothing to change/i);
    await scene.stop();
    scene.ask('Missed', '');
    await scene.github.webhooksSent();
    renameSync(dataDir(), `${dataDir()}.lost`);
    await prepareData(dataDir());
    const asked = requests();
    await expect(scene.start()).rejects.toThrow(/ended with 1/);
    expect(scene.stage.log()).toMatch(
      /The data directory \/\S+\/data is new, but example\/\S+#1 has a status comment of this App that it does not know.*restore its backup.*`issuewright adopt`/,
    );
    expect(requests()).toBe(asked);
  });

  it('begins nothing that was requested before, once the operator has adopted the database', async () => {
    const { code, stdout } = await run('adopt');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Adopted: what people do from now on counts.* not read: [1-9]\d*\. Start the service\./,
      ),
    ]);
    expect((await run('adopt')).stdout).toMatch(/^Nothing was changed/);
    const asked = requests();
    await scene.start();
    await scene.untilStatus(scene.ask('After it', ''), /nothing to change/i);
    expect(requests()).toBe(asked + 1);
  });

  it('works on an old request if someone asks again', async () => {
    const asked = requests();
    scene.maintainer.comment(scene.thread(before), '@issuewright Look at it again.');
    await scene.untilSaid(before, /nothing to change[^]*nothing to change/i);
    expect(requests()).toBe(asked + 1);
  });

  it('writes a backup while it runs, which knows the sessions and continues them', async () => {
    const question = scene.ask('A question', '');
    await scene.untilStatus(question, /waiting for \S+ answer/i);
    const file = path.join(scene.directory, 'backup.tar.gz');
    const { code, stdout } = await run('backup', file);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^Wrote \/\S+backup\.tar\.gz \(\d+\.\d MB\)\. It has private code/),
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(`${file}.2`, '');
    expect(await run('backup', `${file}.2`)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/exists already/),
    });

    await scene.stop();
    renameSync(dataDir(), `${dataDir()}.broken`);
    mkdirSync(dataDir(), { mode: 0o700 });
    execFileSync('tar', ['-xzf', file, '-C', dataDir()]);
    await scene.start();
    const sessions = JSON.parse((await run('sessions', '--json')).stdout) as {
      issue: number;
      state: string;
    }[];
    expect(sessions.find(({ issue }) => issue === question.number)?.state).toMatch(/^waiting/);
    scene.maintainer.comment(scene.thread(question), 'The green one.');
    await scene.untilStatus(question, /nothing to change/i);
  });
});

// An issue that somebody has solved already, through the shipped service: it asks before it works.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const SCRIPTS: readonly Script[] = [
  {
    match: 'Days',
    turns: [
      {
        ...say(call('finish', { outcome: 'nothing_to_do', summary: 'Done there.' })),
        when: 'Go ahead',
      },
    ],
  },
  {
    match: 'Weeks',
    turns: [say(call('finish', { outcome: 'nothing_to_do', summary: 'As it is.' }))],
  },
];

let scene: Scene | undefined;
afterEach(() => scene?.close());

async function open(): Promise<Scene> {
  scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS });
  return scene;
}

/** An issue, and a pull request that says it closes it; then the label. */
async function solvedElsewhere(
  { github, repository, maintainer }: Scene,
  by = SAMPLE.maintainer,
  title = 'Days',
): Promise<Issue> {
  const issue = maintainer.openIssue(repository, { title, body: '' });
  const person = github.as(by);
  const isFork = by !== SAMPLE.maintainer;
  const from = isFork ? await person.fork(repository) : repository;
  await person.push(from, { branch: 'other', files: { 'days.md': 'x\n' }, message: 'Other' });
  const head = isFork ? `${by}:other` : 'other';
  await person.openPull(repository, {
    title: 'Other',
    body: `Fixes #${issue.number}`,
    head,
    base: 'main',
  });
  maintainer.label({ repository, number: issue.number }, SAMPLE.label);
  return issue;
}

const questions = (from: Scene, issue: Issue) =>
  from.comments(issue).filter(({ body }) => body.includes(':question:'));

/** One question, no request to the model; after the answer it works. */
async function expectAskedOnce(from: Scene, issue: Issue): Promise<void> {
  await from.untilStatus(issue, /Waiting for \S+ answer/);
  expect(questions(from, issue).map(({ body }) => body)).toEqual([
    expect.stringMatching(
      /This issue seems to be solved already:[^]*- #2 \(an open pull request\) says that it closes this issue\./,
    ),
  ]);
  expect(from.stage.model.requests).toHaveLength(0);
  from.maintainer.comment(from.thread(issue), 'Go ahead all the same.');
  await from.untilStatus(issue, /nothing to change/i);
  expect(questions(from, issue)).toHaveLength(1);
  expect(from.stage.model.requests).toHaveLength(1);
}

describe('an open pull request that closes the issue', () => {
  it('is asked about before anything is paid for, and a person decides', async () => {
    const here = await open();
    await expectAskedOnce(here, await solvedElsewhere(here));
  });

  it.each([
    ['GitHub answered what is around the issue', [/\/graphql$/]],
    // The first comment may be the status or the question: after the second one, both are there.
    ['GitHub made the question', [/\/issues\/1\/comments$/, /\/issues\/1\/comments$/]],
  ])(
    'is asked about once if the service is killed when %s',
    async (_name, paths) => {
      const here = await open();
      const holds = paths.map((path) => here.github.faults.hold({ method: 'POST', path }));
      const issue = await solvedElsewhere(here);
      for (const hold of holds.slice(0, -1)) {
        await hold.applied;
        hold.release();
      }
      await holds.at(-1)?.applied;
      await here.kill();
      await here.start();
      await expectAskedOnce(here, issue);
    },
    300_000,
  );

  it('from the fork of a stranger stalls nothing: it is said', async () => {
    const here = await open();
    const issue = await solvedElsewhere(here, 'stranger', 'Weeks');
    const status = await here.untilStatus(issue, /nothing to change/i);
    expect(status.body).toContain('but anyone could have opened it');
    expect(questions(here, issue)).toEqual([]);
  });
});

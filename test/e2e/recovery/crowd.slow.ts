// Many issues labelled at once, on a local GitHub that enforces GitHub's limits, with shorter minutes.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { measure } from '../../../bench/crowd/figures.ts';
import { scriptOf } from '../../../bench/crowd/script.ts';
import { openStage, type Stage } from '../../../packages/local-github/src/stage.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const PERSON = 'octo-maintainer';
const ISSUES = 14;
const TIMES_FASTER = 2;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({
    directory: temporaryDirectory(),
    owner: 'example',
    people: [PERSON],
    scripts: [scriptOf(0)],
    limits: { timesFaster: TIMES_FASTER },
    environment: { PATH: process.env['PATH'] ?? '', CONTENT_LIMITS: '80/30,500/1800' },
  });
  await stage.startService();
});
afterAll(() => stage.close());

it('becomes as many pull requests, none of which GitHub had to refuse, with few requests', async () => {
  const repository = await stage.github.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'words.txt': 'one\n' },
    collaborators: { [PERSON]: 'admin' },
  });
  const label = (number: number): void => {
    const title = `Add the word ${number}`;
    stage.github.as(PERSON).openIssue(repository, { title, body: '', labels: ['issuewright'] });
  };
  const crowd = { issues: ISSUES, timesFaster: TIMES_FASTER };
  const figures = await measure(crowd, { stage, repository, label, patienceMs: 240_000 });
  expect(figures).toMatchObject({ refused: 0, ready: ISSUES });
  expect(figures.mostDeferred).toBeLessThanOrEqual(2);
  // The 500 writes of an hour allow some 80 sessions: 2,400 of its 5,000 requests.
  expect(figures.requests / ISSUES).toBeLessThanOrEqual(30);
  expect(stage.github.refusals).toEqual([]);
}, 400_000);

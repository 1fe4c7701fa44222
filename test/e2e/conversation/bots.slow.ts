// Bots that ask, and bots that would talk with each other for ever.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Comment, Issue } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';

const FRIEND = 'friend[bot]';
const NOISE = 'noise[bot]';
const OURSELVES = 'issuewright[bot]';

const finish = { tool_name: 'finish', arguments: { summary: 'Seen.', outcome: 'nothing_to_do' } };
const DONE = { say: { plan: 'as scripted', tool_calls: [finish] } };
const SCRIPTS: Script[] = [{ turns: [DONE, DONE, DONE, { ...DONE, when: 'A person again' }] }];

describe('bots', () => {
  let scene: Scene;
  beforeAll(async () => {
    const environment = { ALLOWED_BOTS: `${FRIEND},${OURSELVES}` };
    scene = await Scene.open({ scripts: SCRIPTS, people: [FRIEND, NOISE], environment });
  });
  afterAll(() => scene.close());

  const requests = (): number => scene.agentRequests.length;
  const open = (title: string, by: string = SAMPLE.maintainer): Issue =>
    scene.github.as(by).openIssue(scene.repository, { title, body: '' });
  const says = (issue: Issue, body: string, login: string): Comment =>
    scene.github.as(login).comment(scene.thread(issue), body);
  const reactionsOn = (on: Comment | Issue) => on.reactions.map(({ content }) => content);
  const untilEnded = (on: Comment) =>
    scene.until('the end of the run', () => reactionsOn(on).length === 2);
  /** Every delivery so far was answered: what it asks for is in a journal, if it asks. */
  const untilHeard = () => scene.github.webhooksSent();

  it('that the operator allows get their run, as people do', async () => {
    const issue = open('A report', FRIEND);
    const ask = says(issue, '@issuewright look at this', FRIEND);
    await scene.untilStatus(issue, /nothing to change/i);
    await untilEnded(ask);
    expect(reactionsOn(ask)).toEqual(['eyes', 'rocket']);
  });

  it('that are not allowed, and the App itself, cannot request anything', async () => {
    const before = requests();
    const issue = open('Nobody asked');
    const said = [NOISE, OURSELVES].flatMap((login) => [
      says(issue, '@issuewright do it', login),
      says(issue, '/issuewright retry', login),
    ]);
    await untilHeard();
    // Their requests show nowhere, so wait for the end of a later one.
    const next = open('Somebody asked');
    await untilEnded(says(next, '@issuewright do it', SAMPLE.maintainer));
    expect(requests()).toBe(before + 1);
    expect(said.flatMap(reactionsOn)).toEqual([]);
    expect(scene.comments(issue).filter(({ body }) => body.includes('<!--'))).toEqual([]);
  });

  it('get three runs in a row; then the work waits for a person, says so, and continues', async () => {
    const before = requests();
    const issue = open('A talk of bots', FRIEND);
    for (const turn of ['first', 'second', 'third'])
      await untilEnded(says(issue, `@issuewright the ${turn} time`, FRIEND));
    expect(requests()).toBe(before + 3);
    const fourth = says(issue, '@issuewright the fourth time', FRIEND);
    const status = await scene.untilStatus(issue, /waiting for a person/i);
    expect(status.body).toContain(
      'Only bots requested the last 3 runs, so a person has to confirm.',
    );
    expect(status.body).toContain('Reply here to continue.');
    says(issue, 'Noise of a bot', NOISE);
    await untilHeard();
    expect(requests()).toBe(before + 3);
    expect(reactionsOn(fourth)).toEqual([]);
    const word = says(issue, 'A person again: go on.', SAMPLE.maintainer);
    await untilEnded(fourth);
    await scene.untilStatus(issue, /nothing to change/i);
    expect(requests()).toBe(before + 4);
    const sent = JSON.stringify(scene.agentRequests.at(-1));
    expect(sent).toContain('the fourth time');
    expect(reactionsOn(word)).toContain('eyes');
  });
});

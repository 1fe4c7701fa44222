// The service is killed around reviews with a verdict: an approval and a request for changes are there once, and never of another commit.
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { SETTINGS_FILE } from '../../../src/session/settings/index.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const BRANCH = 'theirs';
const MACHINE = 'our-machine';
const PATH = 'theirs.txt';
const review = (summary: string, comments: object[], more: object) =>
  say(call('submit_review', { summary, comments, ...more }));
const approval = review('Nothing was found.', [], { verdict: 'approve' });

const TURNS: Script['turns'] = [
  review('It divides by zero.', [{ path: PATH, line: 1, severity: 'high', body: 'Zero.' }], {
    verdict: 'request_changes',
  }),
  // After the push.
  review('Fixed.', [], { settled: [1] }),
  // After another request.
  approval,
];

let scene: Scene | undefined;
afterEach(() => scene?.close());

/** A repository whose settings and ruleset allow approvals, and a pull request of someone with write access. */
async function openScene(turns: Script['turns'], ownDatabase = true) {
  const on = await Scene.open({
    ownDatabase,
    scripts: [{ turns }],
    people: ['ann', MACHINE],
    environment: { ASSIGNEE_LOGIN: MACHINE },
    files: { ...SAMPLE.files, [SETTINGS_FILE]: 'comment_wait: 0\nreview: { may: approve }\n' },
  });
  scene = on;
  const { repository, github, maintainer } = on;
  repository.collaborators.set('ann', 'write');
  repository.collaborators.set(MACHINE, 'read');
  maintainer.addRuleset(repository, {
    name: 'Reviews',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
    rules: [{ type: 'pull_request', parameters: { dismiss_stale_reviews_on_push: true } }],
  });
  const ann = github.as('ann');
  const push = (text: string) =>
    ann.push(repository, { branch: BRANCH, files: { [PATH]: text }, message: 'More' });
  await push('one\n');
  const pull = await ann.openPull(repository, { title: 'Mine', head: BRANCH, base: 'main' });
  const label = () => maintainer.label(on.thread(pull), SAMPLE.label);
  const request = () => maintainer.requestReview(on.thread(pull), MACHINE);
  return { on, pull, push, label, request };
}

const untilEnded = (on: Scene, runs: number) =>
  on.until(`the end of ${runs} runs`, () => on.stage.log().split('run ended').length > runs);

const statesIn = ({ repository }: Scene) => repository.reviews.map(({ state }) => state);

/** How often GitHub told of a review, by what happened to it. */
async function tellings({ github }: Scene): Promise<Record<string, number>> {
  await github.webhooksSent();
  const told: Record<string, number> = {};
  for (const { event, action = '', redelivery } of github.deliveries)
    if (event === 'pull_request_review' && !redelivery) told[action] = (told[action] ?? 0) + 1;
  return told;
}

/** How many entries say that a request for changes is over. */
async function withdrawals({ databaseUrl }: Scene): Promise<number> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  const { rowCount } = await database.query(
    `select 1 from issuewright.journal where type = 'verdict_withdrawn'`,
  );
  await database.end();
  return rowCount ?? 0;
}

/** Acts, and kills the service once it has made this request; its answer is never read. */
async function killAt(
  on: Scene,
  [method, path]: readonly [method: string, path: RegExp],
  act: () => unknown,
  whileAway: () => unknown = () => {},
): Promise<void> {
  const { applied } = on.github.faults.hold({ method, path });
  await act();
  await applied;
  await on.kill();
  await whileAway();
  await on.start();
}

const LOOK_UP = ['GET', /\/pulls\/\d+\/reviews$/] as const;
const POST = ['POST', /\/pulls\/\d+\/reviews$/] as const;
const DISMISSAL = ['PUT', /\/reviews\/\d+\/dismissals$/] as const;

describe('kill -9 around a review with a verdict, and a start', () => {
  it.each([
    ['before changes are requested', 1, LOOK_UP],
    ['when GitHub took the request for changes and its answer was not read', 1, POST],
    ['when GitHub took the dismissal and its answer was not read', 2, DISMISSAL],
    ['before the approval', 3, LOOK_UP],
    ['when GitHub took the approval and its answer was not read', 3, POST],
  ] as const)(
    '%s, leads to one request for changes, one dismissal and one approval',
    async (_moment, killedAt, crash) => {
      const { on, pull, push, label, request } = await openScene(TURNS);
      const step = async (nth: number, act: () => unknown, states: readonly string[]) => {
        await (nth === killedAt ? killAt(on, crash, act) : act());
        await untilEnded(on, nth);
        await on.untilStatus(pull, /Reviewed/);
        expect(statesIn(on)).toEqual(states);
      };
      await step(1, label, ['CHANGES_REQUESTED']);
      await step(2, () => push('fixed\n'), ['DISMISSED']);
      await step(3, request, ['DISMISSED', 'APPROVED']);

      await on.stop();
      expect(statesIn(on)).toEqual(['DISMISSED', 'APPROVED']);
      expect(await tellings(on)).toEqual({ submitted: 2, dismissed: 1 });
      expect(on.repository.reviewComments.map(({ body }) => body)).toEqual(['🔴 **High:** Zero.']);
      expect(on.repository.reviewThreads.map((one) => one.resolvedBy !== undefined)).toEqual([
        true,
      ]);
      expect(on.comments(pull)).toHaveLength(1);
    },
    900_000,
  );

  it.each([
    ['before the approval', LOOK_UP, 'COMMENTED', /\*\*Not approved:\*\* it has changed meanwhile/],
    ['when GitHub took the approval', POST, 'DISMISSED', /^Nothing was found/],
  ] as const)(
    '%s approves nothing of what is pushed while it is away',
    async (_moment, crash, state, body) => {
      const { on, pull, push, label } = await openScene([
        approval,
        review('Nothing is new.', [], { verdict: 'approve' }),
      ]);
      await killAt(on, crash, label, () => push('broken\n'));
      await untilEnded(on, 2);
      await on.untilStatus(pull, /Reviewed/);
      await on.stop();
      expect(on.repository.reviews).toMatchObject([{ state, body: expect.stringMatching(body) }]);
      expect(on.comments(pull)).toHaveLength(1);
    },
    900_000,
  );

  it('when GitHub took the dismissal of what people resolved, leads to one dismissal and no run', async () => {
    const blocking = ['Zero.', 'And here.'].map((body) => ({
      path: PATH,
      line: 1,
      severity: 'high',
      body,
    }));
    const blocks = review('It divides by zero.', blocking, { verdict: 'request_changes' });
    const { on, pull, label } = await openScene([blocks], false);
    label();
    await untilEnded(on, 1);
    await on.untilStatus(pull, /Reviewed/);
    const [first = 0, second = 0] = on.repository.reviewComments.map(({ id }) => id);
    const resolve = (comment: number) => on.github.as('ann').resolve(on.repository, comment);
    const asked = (what: RegExp) => on.github.requests.filter(({ path }) => what.test(path)).length;
    const untilAsked = async (what: RegExp, act: () => unknown) => {
      const before = asked(what);
      await act();
      await on.until(`a request ${String(what)}`, () => asked(what) > before);
    };
    // A dismissal now would leave none to be killed at.
    await untilAsked(/\/pulls\/\d+\/comments/, () => resolve(first));
    await killAt(
      on,
      DISMISSAL,
      () => resolve(second),
      () => expect(statesIn(on)).toEqual(['DISMISSED']),
    );
    await on.until('the look after the start', () => asked(/\/reviews\/\d+$/) > 1);
    await on.stop();
    expect(await withdrawals(on)).toBe(1);
    expect(statesIn(on)).toEqual(['DISMISSED']);
    expect(await tellings(on)).toEqual({ submitted: 1, dismissed: 1 });
    expect(on.agentRequests).toHaveLength(1);
  }, 900_000);
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SELF_REVIEW_INSTRUCTIONS } from '../../../src/agent/prompts/separate-requests.ts';
import type { Operator } from '../../../src/app/service/service.ts';
import type { Effect } from '../../../src/contracts/effect.ts';
import { TryLater } from '../../../src/lib/errors.ts';
import type { Entry } from '../../../src/session/entry.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import { isPull } from '../../../packages/local-github/src/github/state.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const REVIEWED: Partial<Operator> = { selfReview: true };
const write = (content: string) => json(['write_file', { path: 'greet.js', content }]);
const FINISH = json(['finish', { summary: 'Greets.' }]);

const reviewsIn = (journal: readonly Entry[]) =>
  entriesOf(journal, 'call_finished')
    .flatMap(({ effects }): readonly Effect[] => effects)
    .filter((effect) => effect.type === 'self_reviewed');

describe('the review of a change', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  const reviewRequests = (): readonly string[] =>
    service.model.requests
      .filter(({ system }) => system === SELF_REVIEW_INSTRUCTIONS)
      .map(({ messages }) => JSON.stringify(messages));
  const draftOf = (title: string): boolean | undefined =>
    service.repository.issues.filter(isPull).findLast((pull) => pull.title === title)?.pull.draft;

  async function work(title: string, lines: readonly (string | Error)[], operator = REVIEWED) {
    service.model.says(...lines);
    const before = reviewRequests().length;
    const session = await service.start(title);
    await session.advance(operator);
    const journal = await session.journal();
    return { session, journal, requests: reviewRequests().slice(before), now: fold(journal) };
  }

  it('reads the request and the whole diff, and holds the change back once', async () => {
    const { journal, requests, now } = await work('Greet by name', [
      write('const unused = 1;\n'),
      FINISH,
      '- greet.js:1: the name is not used',
      write('export const greet = () => 1;\n'),
      FINISH,
      '- greet.js:1: the name is still not used',
    ]);
    expect(requests).toHaveLength(2);
    expect(requests[0]).toMatch(
      /Greet by name.*author's summary.*Greets\..*No test runner was seen to run\..*\+const unused = 1;/s,
    );
    expect(now.work.commits.map(({ message }) => message)).toEqual(['Greets.']);
    expect(requests[1]).not.toContain('unused');
    const [held, made] = entriesOf(journal, 'call_finished').filter(({ effects }) =>
      effects.some(({ type }) => type === 'self_reviewed'),
    );
    expect(held).toMatchObject({ ok: false, halt: null });
    expect(held?.output).toMatch(/^Not submitted yet.*- greet\.js:1: the name is not used/s);
    expect(made).toMatchObject({ ok: true, halt: 'finished' });
    expect(now.work.selfReview?.findings).toEqual([
      { path: 'greet.js', line: 1, text: 'the name is still not used' },
    ]);
    expect(now.run?.end).toEqual({ kind: 'finished' });
  });

  it('is in the pull request when that is opened, with what was committed: it is not edited', async () => {
    const { session } = await work('Greet at once', [
      write('export const now = 1;\n'),
      FINISH,
      '- greet.js:1: too soon',
      FINISH,
    ]);
    const opened = service.repository.issues.filter(isPull).at(-1);
    expect(opened?.body).toContain('**Self-review**: 1 open finding\n\n> - `greet.js:1`: too soon');
    const before = service.github.requests.length;
    await session.publish();
    const made = service.github.requests.slice(before);
    expect(
      made.filter(({ method, path }) => method === 'PATCH' && path.includes('/pulls/')),
    ).toEqual([]);
    expect(service.repository.issues.filter(isPull).at(-1)?.body).toBe(opened?.body);
  });

  it('does not read the same change twice', async () => {
    const { requests, now } = await work('Greet twice', [
      write('export const greet = () => 2;\n'),
      FINISH,
      '- greet.js: nobody requested it',
      FINISH,
    ]);
    expect(requests).toHaveLength(1);
    expect(now.run?.end).toEqual({ kind: 'finished' });
    expect(now.work.selfReview?.findings).toHaveLength(1);
    expect(now.work.changedSinceReview).toBe(false);
  });

  it('comes before the one push of a round of review, and not again without a change', async () => {
    const { session, now } = await work('Greet in rounds', [
      write('export const greet = () => 8;\n'),
      FINISH,
      'nothing',
    ]);
    const { repository, github, model } = service;
    const number = now.thread.pullRequest?.number ?? 0;
    const thread = { repository, number };
    const round = async (...lines: readonly string[]): Promise<readonly string[]> => {
      const { id } = await github.as('maintainer').review(thread, {
        event: 'REQUEST_CHANGES',
        body: 'See the line.',
        comments: [{ path: 'greet.js', line: 1, body: 'Nine.' }],
      });
      const said = { verdict: 'changes_requested', body: 'See the line.' } as const;
      const before = reviewRequests().length;
      model.says(...lines);
      await session.happens('maintainer', {
        kind: 'review',
        pullRequest: number,
        reviewId: id,
        ...said,
      });
      await session.advance(REVIEWED);
      return reviewRequests().slice(before);
    };
    const commits = async () => fold(await session.journal()).work.commits.length;
    const reviews = await round(
      write('export const greet = () => 99;\n'),
      FINISH,
      '- greet.js:1: it is 99',
      write('export const greet = () => 9;\n'),
      FINISH,
      'nothing',
    );
    expect(reviews).toHaveLength(2);
    expect(reviews[0]).toMatch(
      /Diff of what was reviewed before.*8;.*on top of that.*-.*8;.*\+.*99;/s,
    );
    expect(reviews[1]).toContain('- greet.js:1: it is 99');
    expect(reviews[1]).not.toContain('=> 99;');
    expect(await commits()).toBe(2);
    const after = fold(await session.journal());
    expect(after.work).toMatchObject({ selfReview: { findings: [] }, changedSinceReview: false });
    expect(await round(json(['finish', { summary: 'It is nine.' }]))).toEqual([]);
    expect(await commits()).toBe(2);
  });

  it('keeps the work from nobody if the model server is down', async () => {
    const { requests, now } = await work('Greet now', [
      write('export const greet = () => 3;\n'),
      FINISH,
      new TryLater('The model server is down.'),
    ]);
    expect(requests).toHaveLength(1);
    expect(now.work.selfReview?.failure).toBe('The model server is down.');
    expect(now.run?.end).toEqual({ kind: 'finished' });
    expect(draftOf('Greets.')).toBe(false);
  });

  it('is not made twice if the run is interrupted before the agent has read it', async () => {
    const { session, requests } = await work('Greet later', [
      write('export const greet = () => 7;\n'),
      FINISH,
      '- greet.js: nobody requested it',
      new TryLater('The model server is down.'),
    ]);
    expect(requests).toHaveLength(1);
    service.letPass(3_600_000);
    service.model.says(FINISH);
    await session.advance(REVIEWED);
    const after = await session.journal();
    expect(reviewsIn(after).map(({ usage }) => usage.input)).toEqual([100, 0]);
    expect(fold(after).run?.end).toEqual({ kind: 'finished' });
  });

  it('is left out near the limits of the run, which is said', async () => {
    const limits = {
      turns: 2,
      minutes: 600,
      outputTokens: 1_000,
      runTokens: undefined,
      dollars: { run: undefined, issue: undefined, repositoryDay: undefined },
    };
    const lines = [write('export const greet = () => 4;\n'), FINISH];
    const { requests, now } = await work('Greet soon', lines, { ...REVIEWED, limits });
    expect(requests).toEqual([]);
    expect(now.work.selfReview?.failure).toBe(
      '100 % of the limit of 2 model replies per run was used.',
    );
    expect(now.run?.end).toEqual({ kind: 'finished' });
  });

  it('is made by the model that the operator names for it, and its server is named', async () => {
    const lines = [write('export const greet = () => 5;\n'), FINISH, 'nothing'];
    const operator = { ...REVIEWED, reviewModel: 'test:cheap' };
    const { journal, now } = await work('Greet cheaply', lines, operator);
    expect(entriesOf(journal, 'run_prepared')[0]).toMatchObject({
      model: 'test:first',
      reviewer: { model: 'test:cheap', destination: 'Nobody (test:cheap)' },
    });
    expect(now.spending.reviewers).toEqual(['Nobody (test:cheap)']);
  });

  it('is not made if the operator does not want it', async () => {
    const lines = [write('export const greet = () => 6;\n'), FINISH];
    const { requests, journal } = await work('Greet at once', lines, { selfReview: false });
    expect(requests).toEqual([]);
    expect(reviewsIn(journal)).toEqual([]);
  });
});

it.each([
  ['self_review: false', { kind: 'finished' }, 0],
  ['review_model: test:second', { kind: 'finished' }, 1],
  [
    'review_model: test:third',
    {
      kind: 'failed',
      reason: expect.stringMatching(/`review_model`.* the operator does not offer/),
    },
    0,
  ],
])(
  'a repository decides with %s',
  async (setting, end, reviews) => {
    const service = await openService({ '.github/issuewright.yml': `${setting}\n` });
    service.model.says(write('export const greet = () => 1;\n'), FINISH, 'nothing');
    const session = await service.start('Greet');
    await session.advance({ ...REVIEWED, models: ['test:first', 'test:second'] });
    const journal = await session.journal();
    await service.close();
    expect(fold(journal).run?.end).toEqual(end);
    expect(reviewsIn(journal)).toHaveLength(reviews);
  },
  300_000,
);

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import type { Entry } from '../../../src/session/entry.ts';
import { json } from '../../agent/support.ts';
import { delivery } from '../../contract/store-world.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;

describe('a run that is deferred until a time', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ '.github/issuewright.yml': 'review: { dollars: 1 }\n' });
  });
  afterAll(() => service.close());

  const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

  /** A session whose run was deferred for an hour at its first request. */
  async function deferred(title: string) {
    const { requests } = service.model;
    service.model.says(new TryLater('rate limit', { retryAfterMs: HOUR }));
    const session = await service.start(title);
    await session.advance();
    const before = requests.length;
    return { ...session, asked: () => requests.length - before };
  }

  it('waits until then', async () => {
    const before = Date.now();
    const session = await deferred('Wait');
    const wakeAt = (await session.row())?.wakeAt?.getTime() ?? 0;
    expect(wakeAt).toBeGreaterThanOrEqual(before + HOUR);
    expect(wakeAt).toBeLessThanOrEqual(Date.now() + HOUR);
    await session.advance();
    expect(session.asked()).toBe(0);
  });

  it('is neither woken nor ended by comments from anyone', async () => {
    const session = await deferred('Comment');
    const before = await session.row();
    for (let n = 0; n < 9; n++) {
      await session.comment('stranger', `Me too (${n}).`);
      await session.advance();
    }
    await session.comment('maintainer', 'How is it going?');
    await session.advance();
    expect(session.asked()).toBe(0);
    const entries = await session.journal();
    expect(entriesOf(entries, 'rejected')).toHaveLength(9);
    expect(entriesOf(entries, 'run_resumed')).toEqual([]);
    expect(entriesOf(entries, 'run_ended')).toEqual([]);
    expect(await session.row()).toMatchObject({ state: 'working', claim: null });
    expect((await session.row())?.wakeAt).toEqual(before?.wakeAt);
  });

  it('resumes at its time, with the comments of people with permission', async () => {
    const session = await deferred('Go on');
    await session.comment('stranger', 'Me too.');
    await session.comment('maintainer', 'Mind the docs.');
    await session.advance();
    service.letPass(HOUR);
    service.model.says(finish);
    await session.advance();
    const told = JSON.stringify(service.model.requests.at(-1)?.messages);
    expect(told).toContain('Mind the docs.');
    expect(told).not.toContain('Me too.');
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
    expect((await session.row())?.wakeAt).toBeNull();
  });

  it.each([
    ['BUDGET_REPOSITORY_DAY', 'repositoryDay', 'for this repository'],
    ['BUDGET_PERSON_DAY', 'personDay', 'for the requests of one person'],
    ['BUDGET_DAY', 'serviceDay', 'for the whole service'],
  ])('waits for midnight UTC once %s is spent, before it begins', async (setting, scope, words) => {
    const session = await service.start(`Spend ${setting}`);
    const dollars = { run: undefined, issue: undefined, [scope]: 0 };
    const limits = { turns: 20, minutes: 600, outputTokens: 1_000, runTokens: undefined, dollars };
    await session.advance({ limits });
    expect((await session.journal()).map(({ type }) => type)).not.toContain('run_prepared');
    const day = 24 * HOUR;
    const until = new Date((Math.floor(Date.now() / day) + 1) * day).toISOString();
    expect((await session.journal()).at(-1)).toMatchObject({
      type: 'run_deferred',
      until,
      cause: 'limit',
      reason: expect.stringMatching(
        new RegExp(
          `^The limit of \\$0\\.00 per day ${words} was reached.*the operator can raise \`${setting}\``,
        ),
      ),
    });
    const before = (await session.row())?.lastSeq ?? 0;
    await session.comment('maintainer', '/issuewright retry');
    await session.advance({ limits });
    const since = (await session.journal()).filter(({ seq }) => seq > before);
    expect(since.map(({ type }) => type)).not.toContain('run_resumed');
    service.model.says(finish);
    await session.advance({ limits: { ...limits, dollars: { ...dollars, [scope]: 100 } } });
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
  });

  /** The label on a pull request of someone else. */
  async function reviewOf(branch: string) {
    const { github, repository, store } = service;
    const maintainer = github.as('maintainer');
    const files = { [`${branch}.txt`]: 'Theirs\n' };
    await maintainer.push(repository, { branch, files, message: 'Begin' });
    const pull = await maintainer.openPull(repository, {
      title: branch,
      head: branch,
      base: 'main',
    });
    const { id, name, owner } = repository;
    maintainer.label({ repository, number: pull.number }, 'issuewright');
    const { login, id: person } = maintainer.user;
    const accepted = await store.accept(
      {
        installation: 1,
        repository: { id, name, owner: owner.login },
        thread: { on: 'pull_request', number: pull.number },
        sender: { login, id: person },
        meaning: branch,
        intent: { kind: 'start', label: 'issuewright', title: branch, body: '', review: 'label' },
      },
      delivery(),
    );
    if (accepted.outcome !== 'accepted') throw new Error(accepted.outcome);
    return service.sessionOf(pull, accepted.session);
  }

  it('is a review, and no other work, once the dollars of its repository for reviews of a day are spent', async () => {
    service.resetClock();
    const reviewed = json(['submit_review', { summary: 'Nothing was found.', comments: [] }]);
    const endsOf = async ({ journal }: { journal: () => Promise<Entry[]> }) =>
      entriesOf(await journal(), 'run_ended').map(({ end }) => end.kind);
    service.model.costs(1);
    try {
      service.model.says(reviewed);
      const first = await reviewOf('first');
      await first.advance();
      expect(await endsOf(first)).toEqual(['finished']);

      const second = await reviewOf('second');
      await second.advance();
      const day = 24 * HOUR;
      expect((await second.journal()).at(-1)).toMatchObject({
        type: 'run_deferred',
        until: new Date((Math.floor(Date.now() / day) + 1) * day).toISOString(),
        cause: 'limit',
        reason: expect.stringMatching(
          /^The limit of \$1\.00 per day for reviews in this repository was reached.*`review\.dollars`/,
        ),
      });
      const work = await service.start('Work');
      service.model.says(finish);
      await work.advance();
      expect(await endsOf(work)).toEqual(['finished']);
    } finally {
      service.model.costs(null);
    }
  });

  it('ends at once when the issue is closed', async () => {
    const session = await deferred('Close');
    await session.closeIssue();
    await session.advance();
    expect(session.asked()).toBe(0);
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'stopped' } });
  });
});

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { admit } from '../../../src/app/admission/admit.ts';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { sessionLog } from '../../../src/app/service/service.ts';
import { KeyedMutex } from '../../../src/lib/keyed-mutex.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';

/** Nothing is left to look up. */
const NOT_ASKED = undefined as never;

describe('a request that both lanes want judged at once', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ 'a.txt': 'a\n' });
  });
  afterAll(() => service.close());

  it('is looked up once, and has one verdict', async () => {
    const session = await service.start('Do it');
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await Promise.all([session.publish(), session.advance(), session.publish()]);
    const lookUps = service.github.requests.filter(({ path }) => path.endsWith('/permission'));
    expect(lookUps).toHaveLength(1);
    const types = (await session.journal()).map(({ type }) => type);
    expect(types.filter((type) => type === 'admitted')).toHaveLength(1);
    expect((await session.row())?.state).toBe('done');
  });

  it('costs no look at the comments of an issue that has none', async () => {
    const { repository, github } = service;
    const reads = async (issue: Issue): Promise<number> => {
      const start = { kind: 'start', label: 'issuewright', title: issue.title, body: '' } as const;
      const at = new Date().toISOString();
      const id = await service.sessionOf(issue, '').happens('maintainer', { ...start, at });
      const before = github.requests.length;
      await service.sessionOf(issue, id).publish();
      const comments = new RegExp(`/issues/${issue.number}/comments`);
      const sent = github.requests.slice(before);
      return sent.filter(({ method, path }) => method === 'GET' && comments.test(path)).length;
    };
    const quiet = service.open('Nobody said more', ['issuewright']);
    const discussed = service.open('Somebody did', ['issuewright']);
    github.as('maintainer').comment({ repository, number: discussed.number }, 'Mind the docs.');
    expect((await reads(discussed)) - (await reads(quiet))).toBe(1);
  });

  it.each([
    ['stranger', false],
    ['writer', true],
  ])(
    'says whether the author of the issue could request work: %s, %p',
    async (login, mayRequest) => {
      service.repository.collaborators.set('writer', 'write');
      const issue = service.open(`By ${login}`, ['issuewright']);
      const { id } = service.github.as(login).user;
      const author = { login, id };
      const start = { kind: 'start', label: 'issuewright', title: issue.title, body: 'x' } as const;
      const at = new Date().toISOString();
      const session = service.sessionOf(
        issue,
        await service.sessionOf(issue, '').happens('maintainer', { ...start, at, author }),
      );
      await session.publish();
      const [admitted] = entriesOf(await session.journal(), 'admitted');
      expect(admitted?.issue?.by).toEqual({ login, mayRequest });
    },
  );

  it('is not judged by a lane that read the journal before the other had judged it', async () => {
    const session = await service.start('Do that');
    const slow = await JournalTracker.open(service.store, session.id);
    await session.publish();
    const log = pino({ level: 'silent' });
    const parts = { admissions: new KeyedMutex(), allowedBots: [], log };
    const operator = { areImagesSeen: false };
    await expect(admit(slow, NOT_ASKED, { ...parts, operator })).resolves.toBeUndefined();
    const types = (await session.journal()).map(({ type }) => type);
    expect(types.filter((type) => type === 'admitted')).toHaveLength(1);
  });
});

describe('a label that the settings do not name', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('is in the log as rejected, with its session and the reason', async () => {
    const issue = service.open('Do it', ['issuewrite']);
    const start = { kind: 'start', label: 'issuewrite', title: issue.title, body: '' } as const;
    const id = await service.sessionOf(issue, '').happens('maintainer', start);
    const tracker = await JournalTracker.open(service.store, id);
    const lines: unknown[] = [];
    const log = sessionLog(
      pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      tracker,
    );
    const parts = { admissions: new KeyedMutex(), allowedBots: [], log };
    await admit(tracker, service.access(), { ...parts, operator: { areImagesSeen: false } });
    expect(lines).toMatchObject([
      { msg: 'request rejected', session: id, issue: issue.number, reason: 'other_label' },
    ]);
  });
});

describe('the comments of a crowd', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('are rejected in one append, in their order, between what is admitted', async () => {
    const session = await service.start('Do it');
    await session.publish();
    const before = (await session.journal()).length;
    const append = jest.spyOn(service.store, 'append');
    const crowd = ['stranger', 'stranger', 'writer', 'maintainer', 'stranger', 'writer'];
    for (const login of crowd) await session.comment(login, `${login} says something`);
    await session.publish();
    const verdicts = append.mock.calls
      .map(([, entries]) => entries.map(({ type }) => type))
      .filter((types) => types.includes('admitted') || types.includes('rejected'));
    append.mockRestore();
    expect(verdicts).toEqual([
      ['rejected', 'rejected', 'rejected'],
      ['admitted'],
      ['rejected', 'rejected'],
    ]);
    const received = (await session.journal())
      .slice(before)
      .flatMap((entry) => ('received' in entry ? entry.received : []));
    expect(received).toEqual(crowd.map((_login, at) => before + 1 + at));
  });
});

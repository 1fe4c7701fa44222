import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';
import { control } from '../../../src/store/control.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const write = json(['write_file', { path: 'half.md', content: 'Half.\n' }]);
const look = json(['list_directory', { path: '.' }]);
const MINUTE = 60_000;

describe('a conversation', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  /** A session whose run was deferred after it had changed a file. */
  async function half(title: string) {
    service.model.says(write, new TryLater('busy', { retryAfterMs: MINUTE }));
    const session = await service.start(title);
    await session.advance();
    return session;
  }

  /** What a person says while the model thinks, which then says the line. */
  const meanwhile = (said: () => Promise<unknown>, line: string) => async () => {
    await said();
    return line;
  };

  const stateOf = async ({ row }: { row: () => Promise<{ state: string } | undefined> }) =>
    (await row())?.state;

  describe('begins', () => {
    it('with a mention, the issue as it was then, and the earlier comments of people with permission', async () => {
      const issue = service.open('Begin by mention');
      service.github.as('stranger').comment({ repository: service.repository, ...issue }, 'Evil.');
      service.github
        .as('maintainer')
        .comment({ repository: service.repository, ...issue }, 'Good.');
      const id = await service.comment(issue.number, 'maintainer', '@issuewright, mind the docs');
      const session = service.sessionOf(issue, id);
      service.model.says(finish);
      await session.advance();
      const [input] = entriesOf(await session.journal(), 'input_read');
      expect(input?.text).toMatch(
        /^# Issue #\d+: @maintainer requested[^]*Begin by mention[^]*# Earlier comment by @maintainer on the issue\n\n> Good\.[^]*> @issuewright, mind the docs\n\n\(The files of the repository before the change:\)\n/,
      );
      expect(input?.text).not.toContain('Evil');
    });

    it('with what was said, unless it was changed after the request', async () => {
      const at = async (moment: string, { changed = false } = {}) => {
        const issue = service.open(`As of ${moment}`, ['issuewright']);
        const thread = { repository: service.repository, ...issue };
        const comment = service.github.as('maintainer').comment(thread, 'Said before.');
        if (changed)
          Object.assign(comment, { body: 'Changed.', updatedAt: '2500-01-01T00:00:00Z' });
        const start = { kind: 'start', label: 'issuewright', title: 'x', body: '' } as const;
        const happens = service
          .sessionOf(issue, '')
          .happens('maintainer', { ...start, at: moment });
        const session = service.sessionOf(issue, await happens);
        service.model.says(finish);
        await session.advance();
        return entriesOf(await session.journal(), 'admitted')[0]?.earlier;
      };
      const said = (body: string) => [expect.objectContaining({ author: 'maintainer', body })];
      expect(await at('2020-01-01T00:00:00Z', { changed: true })).toBeUndefined();
      expect(await at('2020-01-01T00:00:00Z')).toEqual(said('Said before.'));
      expect(await at('2999-01-01T00:00:00Z', { changed: true })).toEqual(said('Changed.'));
    });

    it('not with a label that was taken back, nor for a stranger', async () => {
      const issue = service.open('Unlabelled');
      const start = { kind: 'start', label: 'issuewright', title: 'x', body: '' } as const;
      const id = await service.sessionOf(issue, '').happens('maintainer', start);
      const session = service.sessionOf(issue, id);
      await session.comment('stranger', '/issuewright do it');
      await session.comment('stranger', '/issuewright stop');
      await session.comment('stranger', '@issuewright help');
      await session.advance();
      expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([
        { reason: 'outdated' },
        { reason: 'not_permitted', notify: true, attempt: 'request', requiredRole: 'write' },
        { reason: 'not_permitted', notify: true, attempt: 'command' },
        { reason: 'not_permitted', notify: true, attempt: 'command' },
      ]);
      expect(await stateOf(session)).toBe('ignored');
    });

    it('once for a label that GitHub tells of in two events', async () => {
      const session = await service.start('Opened with it');
      const at = '2030-01-01T00:00:01Z';
      const start = { kind: 'start', label: 'issuewright', title: 'x', body: '' } as const;
      for (const second of ['01', '02'])
        await session.happens('maintainer', {
          ...start,
          at: at.replace('01Z', `${second}Z`),
          atOpening: true,
        });
      service.model.says(finish);
      await session.advance();
      const entries = await session.journal();
      expect(entriesOf(entries, 'run_started')).toHaveLength(1);
      expect(entriesOf(entries, 'rejected')).toMatchObject([{ reason: 'duplicate' }]);
    });
  });

  it('begins once with a new issue whose words and label ask for it', async () => {
    const session = await service.start('Words and label');
    const start = { kind: 'start', title: 'Words and label', body: '@issuewright' } as const;
    await session.happens('maintainer', { ...start, label: '', addressed: true } as const);
    const other = service.open('Words, then label', ['issuewright']);
    const words = { ...start, label: '', addressed: true } as const;
    const id = await service.sessionOf(other, '').happens('maintainer', words);
    const second = service.sessionOf(other, id);
    await second.happens('maintainer', { ...start, label: 'issuewright', atOpening: true });
    service.model.says(finish, finish);
    for (const one of [session, second]) {
      await one.advance();
      expect(entriesOf(await one.journal(), 'rejected')).toMatchObject([{ reason: 'duplicate' }]);
    }
  });

  describe('with a comment that came in before our name was known', () => {
    const asking = (to: string, isOpen = true) =>
      ({
        kind: 'comment',
        on: 'issue',
        commentId: 1,
        body: `@${to}`,
        addressed: true,
        thread: { title: 'T', body: 'B', isOpen },
      }) as const;

    it.each([
      ['starts work if it means us', asking('issuewright'), 'done', undefined],
      ['does not if it means another', asking('another'), 'ignored', 'no_session'],
      ['says so if the issue is closed', asking('issuewright', false), 'ignored', 'issue_closed'],
    ])('%s', async (_what, intent, state, reason) => {
      const issue = service.open('Early');
      const id = await service.sessionOf(issue, '').happens('maintainer', intent);
      const session = service.sessionOf(issue, id);
      if (reason === undefined) service.model.says(finish);
      await session.advance();
      expect(await stateOf(session)).toBe(state);
      expect(entriesOf(await session.journal(), 'rejected')[0]?.reason).toBe(reason);
    });
  });

  describe('is stopped', () => {
    it('by a command, which keeps the work on its branch; a retry continues from there', async () => {
      const session = await half('Stop');
      await session.comment('maintainer', '/issuewright stop');
      await session.advance();
      expect(await stateOf(session)).toBe('stopped');
      expect(session.onBranch('half.md')).toBe('Half.');
      const entries = await session.journal();
      expect(entriesOf(entries, 'work_saved')).toHaveLength(1);
      expect(entriesOf(entries, 'run_ended')).toMatchObject([
        { end: { kind: 'stopped', reason: 'maintainer asked to stop.' } },
      ]);
      service.model.says(finish);
      await session.comment('maintainer', '/issuewright retry');
      await session.advance();
      const told = entriesOf(await session.journal(), 'input_read').at(-1)?.text;
      expect(told).toContain('# @maintainer asks to try again');
      expect(await stateOf(session)).toBe('waiting(review)');
    });

    it('by a stop that comes while the model thinks, before its next request', async () => {
      const session = await service.start('Stop meanwhile');
      service.model.says(meanwhile(() => session.comment('maintainer', '/issuewright stop'), look));
      await session.advance();
      expect(await stateOf(session)).toBe('stopped');
    });

    it('not by a stranger', async () => {
      const session = await half('Stop, says a stranger');
      await session.comment('stranger', '/issuewright stop');
      await session.advance();
      expect(await stateOf(session)).toBe('working');
    });
  });

  describe('is paused', () => {
    it('at the next step; a resume continues from there, and nothing is asked twice', async () => {
      const session = await service.start('Pause');
      const before = service.model.requests.length;
      service.model.says(
        meanwhile(() => session.comment('maintainer', '/issuewright pause'), look),
        finish,
      );
      await session.advance();
      expect(await stateOf(session)).toBe('waiting(pause)');
      await session.comment('maintainer', 'Mind the docs.');
      await session.advance();
      expect(service.model.requests.length).toBe(before + 1);
      await session.comment('maintainer', '/issuewright resume');
      await session.advance();
      expect(service.model.requests.length).toBe(before + 2);
      expect(JSON.stringify(service.model.requests.at(-1)?.messages)).toContain('Mind the docs.');
      expect(entriesOf(await session.journal(), 'run_paused')).toHaveLength(1);
      expect(await stateOf(session)).toBe('done');
    });

    const operator = (act: Parameters<typeof control>[1]) => control(service.connection, act);

    it('by the operator before the next call, and the calls are made after the resume', async () => {
      const session = await service.start('Pause between calls');
      const paused = () => operator((one) => one.pause('a moment'));
      service.model.says(
        meanwhile(async () => {
          await paused();
          await service.pause.look();
        }, look),
        finish,
      );
      await session.advance();
      expect(await stateOf(session)).toBe('waiting(pause)');
      expect(entriesOf(await session.journal(), 'call_finished')).toEqual([]);
      await operator((one) => one.resume());
      await session.advance();
      expect(entriesOf(await session.journal(), 'call_finished')).toHaveLength(2);
      expect(await stateOf(session)).toBe('done');
    });

    it('by the operator, whether it runs or not, and woken when the pause ends', async () => {
      service.model.says(new TryLater('busy', { retryAfterMs: MINUTE }));
      const running = await service.start('Pause all');
      await running.advance();
      await operator((one) => one.pause('we move house'));
      const queued = await service.start('Queued');
      service.letPass(MINUTE);
      for (const session of [running, queued]) {
        await session.advance();
        expect(await stateOf(session)).toBe('waiting(pause)');
        expect((await session.row())?.wakeAt).toBeInstanceOf(Date);
      }
      expect(entriesOf(await queued.journal(), 'service_paused')).toMatchObject([
        { reason: 'we move house' },
      ]);
      await operator((one) => one.resume());
      expect((await queued.row())?.wakeAt?.getTime()).toBeLessThanOrEqual(Date.now());
      service.model.says(finish, finish);
      for (const session of [running, queued]) {
        await session.advance();
        expect(await stateOf(session)).toBe('done');
      }
    });
  });

  it('is over after a failure until someone asks again, in any way', async () => {
    const session = await service.start('Fail');
    service.model.says(new TellPerson('The key is wrong.'));
    await session.advance();
    expect(await stateOf(session)).toBe('failed');
    await session.comment('maintainer', 'Hm.');
    await session.advance();
    expect(await stateOf(session)).toBe('failed');
    service.model.says(finish);
    await session.comment('maintainer', '@issuewright try the other way');
    await session.advance();
    expect(await stateOf(session)).toBe('done');
  });

  it('shows how the last run ended in place of how the one before did', async () => {
    const session = await service.start('Fail, then not');
    const number = (await session.row())?.issue;
    const issue = service.repository.issues.find((one) => one.number === number);
    const shown = () => issue?.reactions.map(({ content }) => content);
    service.model.says(new TellPerson('The key is wrong.'));
    await session.advance();
    await session.publish();
    expect(shown()).toEqual(['eyes', 'confused']);
    service.model.says(finish);
    const start = { kind: 'start', label: 'issuewright', title: 'x', body: '' } as const;
    await session.happens('maintainer', start);
    await session.advance();
    await session.publish();
    expect(shown()).toEqual(['eyes', 'rocket']);
  });

  it('shows on each comment what came of it', async () => {
    const session = await service.start('Reactions');
    service.model.says(finish);
    await session.advance();
    for (const [login, body] of [
      ['maintainer', '/issuewright status'],
      ['maintainer', '/issuewright stop'],
      ['maintainer', '/issuewright stpo'],
      ['stranger', '@issuewright do it'],
      ['stranger', 'Me too.'],
    ] as const)
      await session.comment(login, body);
    await session.advance();
    await session.publish();
    const number = (await session.row())?.issue;
    const { repository } = service;
    const all = repository.comments.filter(({ issueNumber }) => issueNumber === number);
    const shown = all.slice(0, 5).map(({ reactions }) => reactions.map(({ content }) => content));
    expect(shown).toEqual([['+1'], ['confused'], ['confused'], [], []]);
    expect(repository.issues.find((one) => one.number === number)?.reactions).toMatchObject([
      { content: 'eyes' },
      { content: 'rocket' },
    ]);
  });
});

describe('settings say who is listened to:', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({
      '.github/issuewright.yml': 'who: admin\nanswers_from: author\n',
    });
  });
  afterAll(() => service.close());

  it('who may ask, and whether the author of an issue may answer', async () => {
    service.repository.collaborators.set('writer', 'write');
    const { repository, github, model } = service;
    const issue = github.as('stranger').openIssue(repository, { title: 'Theirs', body: '' });
    const id = await service.comment(issue.number, 'writer', '@issuewright go');
    const session = service.sessionOf(issue, id);
    await session.advance();
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([
      { requiredRole: 'admin' },
    ]);
    model.says(json(['ask_question', { question: 'Which?' }]), finish);
    await session.comment('maintainer', '@issuewright go');
    await session.advance();
    await session.comment('writer', 'The first.');
    await session.comment('stranger', 'The second.');
    await session.advance();
    const told = entriesOf(await session.journal(), 'input_read').at(-1)?.text;
    expect(told).toContain('The second.');
    expect(told).not.toContain('The first.');
  });
});

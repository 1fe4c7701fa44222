import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const question = json(['ask_question', { question: 'Which one?' }]);

describe('work that had to wait', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ '.github/issuewright.yml': 'answers_from: author\n' });
  });
  afterAll(() => service.close());
  beforeEach(() => void service.repository.collaborators.set('writer', 'write'));
  afterEach(() => void service.repository.collaborators.set('maintainer', 'admin'));

  /** A session that waits for its time. */
  async function deferred(title: string, login = 'maintainer') {
    service.model.says(new TryLater('rate limit', { retryAfterMs: HOUR }));
    const session = await service.start(title, login);
    await session.advance();
    service.letPass(HOUR);
    return session;
  }

  const endOf = async ({ journal }: Awaited<ReturnType<Service['start']>>) =>
    entriesOf(await journal(), 'run_ended').at(-1)?.end;

  it('stops if the person who requested it has lost the role since', async () => {
    const session = await deferred('Revoked');
    service.repository.collaborators.set('maintainer', 'triage');
    const before = service.model.requests.length;
    await session.advance();
    expect(service.model.requests).toHaveLength(before);
    expect(await endOf(session)).toEqual({
      kind: 'stopped',
      reason:
        'maintainer no longer has the role that requesting work needs in this repository (write or higher).',
    });
  });

  it('of a bot stops if the operator has taken it off the list since', async () => {
    service.allowedBots.push('good[bot]');
    const [kept, dropped] = [
      await deferred('Kept', 'Good[bot]'),
      await deferred('Off', 'Good[bot]'),
    ];
    service.model.says(finish);
    await kept.advance();
    expect(await endOf(kept)).toEqual({ kind: 'finished' });
    service.allowedBots.pop();
    await dropped.advance();
    expect(await endOf(dropped)).toEqual({
      kind: 'stopped',
      reason: 'Good[bot] is no longer one of the bots that may request work (`ALLOWED_BOTS`).',
    });
  });

  it('stops if the login of the person who requested it is another account’s by now', async () => {
    const before = service.github.as('maintainer').user.id + 1_000;
    const session = await service.start('Renamed', 'maintainer', '', before);
    const asked = service.model.requests.length;
    await session.advance();
    expect(service.model.requests).toHaveLength(asked);
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([
      { reason: 'not_permitted' },
    ]);
  });

  it('resumes if another person with the role has requested it meanwhile', async () => {
    const session = await deferred('Taken over');
    service.repository.collaborators.set('maintainer', 'triage');
    await session.comment('writer', '@issuewright please continue');
    service.model.says(finish);
    await session.advance();
    expect(await endOf(session)).toEqual({ kind: 'finished' });
  });

  it('resumes if the role is still there', async () => {
    const session = await deferred('Still there');
    service.model.says(finish);
    await session.advance();
    expect(await endOf(session)).toEqual({ kind: 'finished' });
  });

  it('is not continued by an author who may only answer', async () => {
    const issue = service.github.as('stranger').openIssue(service.repository, {
      title: 'Mine',
      body: '',
    });
    const id = await service.comment(issue.number, 'writer', '@issuewright do it');
    const session = service.sessionOf(issue, id);
    service.model.says(question);
    await session.advance();
    expect(await endOf(session)).toEqual({ kind: 'asked' });
    service.letPass(HOUR);
    service.repository.collaborators.set('writer', 'read');
    await session.comment('stranger', 'The second one.');
    await session.advance();
    expect(await endOf(session)).toMatchObject({ kind: 'stopped' });
  });

  describe('hears nothing from', () => {
    const heard = async ({ journal }: Awaited<ReturnType<Service['start']>>) =>
      entriesOf(await journal(), 'input_read').at(-1)?.text ?? '';

    it('a bot that has been taken off the list since, whether it was admitted before or not', async () => {
      service.allowedBots.push('good[bot]');
      const session = await deferred('Said before');
      await session.comment('Good[bot]', 'Call it Zebra.');
      await session.publish();
      await session.comment('Good[bot]', 'Or call it Giraffe.');
      service.allowedBots.pop();
      await session.comment('writer', 'Call it Cat.');
      service.model.says(finish);
      await session.advance();
      expect(await heard(session)).toContain('Call it Cat.');
      expect(await heard(session)).not.toMatch(/Zebra|Giraffe/);
      expect(await heard(session)).toContain('(What @Good[bot] wrote is left out');
    });

    it('a person who has lost the role since', async () => {
      const session = await deferred('Said with the role');
      await session.comment('writer', 'Call it Zebra.');
      await session.publish();
      service.letPass(HOUR);
      service.repository.collaborators.set('writer', 'read');
      service.model.says(finish);
      await session.advance();
      expect(await endOf(session)).toEqual({ kind: 'finished' });
      expect(await heard(session)).not.toContain('Zebra');
    });
  });
});

// What admission reads of GitHub itself, because what happened may not be known: words, and the pull request.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const ask = json(['ask_question', { question: 'Which?' }]);
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const submit = json(
  ['write_file', { path: 'greeting.md', content: 'Hello.\n' }],
  ['finish', { summary: 'It greets.', outcome: 'done' }],
);

describe('what admission reads of GitHub', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  type Session = Awaited<ReturnType<Service['start']>>;

  async function asked(title: string) {
    const session = await service.start(title);
    service.model.says(ask);
    await session.advance();
    return session;
  }
  const lastComment = () => service.repository.comments.at(-1)?.id ?? 0;
  const read = async ({ journal }: Session) =>
    entriesOf(await journal(), 'input_read').at(-1)?.text ?? '';

  it('is what its author says now, although the change is not known', async () => {
    const session = await asked('Edited');
    await session.comment('maintainer', 'The blue one.');
    service.github.as('maintainer').editComment(service.repository, lastComment(), 'The red one.');
    service.model.says(finish);
    await session.advance();
    expect(await read(session)).toContain('The red one.');
    expect(await read(session)).not.toContain('The blue one.');
  });

  it('is what its author said, if someone else changed it since', async () => {
    const session = await asked('Edited by another');
    await session.comment('maintainer', 'The blue one.');
    service.github.as('writer').editComment(service.repository, lastComment(), 'The red one.');
    service.model.says(finish);
    await session.advance();
    expect(await read(session)).toContain('The blue one.');
    expect(await read(session)).not.toContain('The red one.');
  });

  it('is nothing of an answer that was deleted', async () => {
    const session = await asked('Deleted');
    await session.comment('maintainer', 'The blue one.');
    service.github.as('maintainer').deleteComment(service.repository, lastComment());
    await session.advance();
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([{ reason: 'outdated' }]);
    expect((await session.row())?.state).toBe('waiting(answer)');
  });

  it('is how the pull request is, and since when, although its closing is not known', async () => {
    const session = await service.start('Closed unheard');
    service.model.says(submit, finish);
    await session.advance();
    await session.publish();
    const pull = service.repository.issues.findLast((one) => one.pull !== undefined);
    await service.github
      .as('maintainer')
      .close({ repository: service.repository, number: pull?.number ?? 0 });
    await session.comment('maintainer', '@issuewright Write two.');
    service.model.says(finish);
    await session.advance();
    const verdict = entriesOf(await session.journal(), 'admitted').at(-1);
    expect(verdict).toMatchObject({ pullRequest: 'closed', closedAt: pull?.closedAt });
  });

  it('is not the pull request of whoever only answers', async () => {
    const session = await asked('Answered');
    await session.comment('maintainer', 'The red one.');
    service.model.says(finish);
    await session.advance();
    expect(entriesOf(await session.journal(), 'admitted').at(-1)?.pullRequest).toBeUndefined();
  });
});

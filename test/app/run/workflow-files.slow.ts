// Changes of workflow files wait for an administrator, for exactly what they are.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const WORKFLOW = '.github/workflows/ci.yml';
const write = (content: string) => json(['write_file', { path: WORKFLOW, content }]);
const notes = json(['write_file', { path: 'NOTES.md', content: 'Notes\n' }]);
const finish = json(['finish', { summary: 'There is CI.' }]);
const CI = 'on: push\njobs: {} # @stranger fixes #1 actions/checkout@v4\n';

const EVERYTHING = {
  metadata: 'read',
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  workflows: 'write',
} as const;

let service: Service;
beforeAll(async () => {
  service = await openService({ '.github/issuewright.yml': 'workflows: ask\n' });
  service.github.installations.grant(1, EVERYTHING);
});
afterAll(() => service.close());

type Session = Awaited<ReturnType<Service['start']>>;

const stateOf = async ({ row }: Session) => (await row())?.state;
const workflowOn = (session: Session): string | undefined => {
  try {
    return session.onBranch(WORKFLOW);
  } catch {
    return undefined;
  }
};

/** A session whose change of a workflow waits. */
async function waiting(title: string): Promise<Session> {
  service.model.says(notes, write(CI), finish);
  const session = await service.start(title);
  await session.advance();
  await session.publish();
  await session.publish();
  return session;
}

async function commentOn(session: Session) {
  const number = (await session.row())?.issue;
  const found = service.repository.comments.findLast(
    ({ issueNumber, body }) => issueNumber === number && body.includes(':workflows:'),
  );
  if (found === undefined) throw new Error('no comment');
  return found;
}

describe('a change of workflow files', () => {
  it('is shown as it is, and not pushed, while the rest of the work is', async () => {
    const session = await waiting('Show it');
    expect(await stateOf(session)).toBe('waiting(approval)');
    expect(session.onBranch('NOTES.md')).toBe('Notes');
    expect(workflowOn(session)).toBeUndefined();
    const { body } = await commentOn(session);
    expect(body).toMatch(/^@maintainer This changes 1 workflow file, .*\n+.* admin access/);
    expect(body).toContain('\n+on: push\n+jobs: {} # @stranger fixes → #1 actions/checkout@v4\n');
  });

  it.each(['/issuewright approve', 'approved'])(
    'is pushed after an administrator wrote %j',
    async (words) => {
      const session = await waiting(`Approve with ${words}`);
      await session.comment('maintainer', words);
      service.model.says(finish);
      await session.advance();
      expect(entriesOf(await session.journal(), 'input_read').at(-1)?.text).toContain(
        '# @maintainer approved the change of the workflow files',
      );
      expect(workflowOn(session)).toBe(CI.trim());
      expect(await stateOf(session)).toBe('waiting(review)');
    },
  );

  it('is pushed after the 👍 of an administrator, and not after that of others', async () => {
    const session = await waiting('Thumbs');
    const comment = await commentOn(session);
    service.github.as('writer').react(comment, '+1');
    await session.advance();
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(approval)');
    service.github.as('maintainer').react(comment, '+1');
    service.model.says(finish);
    await session.advance();
    await session.advance();
    expect(workflowOn(session)).toBe(CI.trim());
  });

  it('is not approved by people who may write, who are told so, and start no run', async () => {
    const session = await waiting('Writers');
    await session.comment('writer', '/issuewright approve');
    await session.advance();
    await session.publish();
    expect(await stateOf(session)).toBe('waiting(approval)');
    const entries = await session.journal();
    expect(entriesOf(entries, 'rejected')).toMatchObject([
      { reason: 'not_permitted', requiredRole: 'admin', attempt: 'approval', notify: true },
    ]);
    expect(entriesOf(entries, 'run_started')).toHaveLength(1);
    expect(workflowOn(session)).toBeUndefined();
  });

  it('that differs from the approved one waits again', async () => {
    const session = await waiting('Another');
    await session.comment('maintainer', 'approved');
    service.model.says(write(`${CI}# more\n`), json(['commit', { message: 'CI' }]), finish);
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(approval)');
    expect(workflowOn(session)).toBeUndefined();
    const outputs = entriesOf(await session.journal(), 'call_finished').map(({ output }) => output);
    expect(outputs.join('\n')).toMatch(
      /Nothing was committed\. Changes of workflow files are left out/,
    );
    await session.comment('maintainer', 'approved');
    service.model.says(finish);
    await session.advance();
    expect(workflowOn(session)).toContain('# more');
  });

  it('is not pushed if whoever approved it is no administrator any more', async () => {
    const session = await waiting('Demoted');
    const { collaborators } = service.repository;
    await session.comment('maintainer', 'approved');
    service.model.says(async () => {
      service.github.as('maintainer');
      collaborators.set('maintainer', 'write');
      return finish;
    });
    await session.advance();
    collaborators.set('maintainer', 'admin');
    expect(workflowOn(session)).toBeUndefined();
    expect(await stateOf(session)).toBe('waiting(approval)');
  });

  it('that cannot be shown as a whole is not asked for', async () => {
    service.model.says(
      write(`on: push # ${'x'.repeat(1200)}\n`),
      finish,
      json(['finish', { summary: 'No.', outcome: 'cannot' }]),
    );
    const session = await service.start('Too long');
    await session.advance();
    const outputs = entriesOf(await session.journal(), 'call_finished').map(({ output }) => output);
    expect(outputs.join('\n')).toContain('cannot be shown as a whole in a comment');
    expect(workflowOn(session)).toBeUndefined();
  });
});

it('without the permission, the settings have no effect, and the run says why', async () => {
  const { workflows: _, ...rest } = EVERYTHING;
  service.github.installations.grant(1, rest);
  service.letPass(120_000);
  service.model.says(write(CI), json(['finish', { summary: 'No.', outcome: 'cannot' }]));
  const session = await service.start('Not granted');
  await session.advance();
  const entries = await session.journal();
  expect(entriesOf(entries, 'run_prepared')[0]?.warnings?.join()).toMatch(
    /`workflows: ask`: The App lacks the permission `workflows: write`/,
  );
  expect(entriesOf(entries, 'call_finished')[0]?.output).toMatch(
    /does not have GitHub's permission/,
  );
});

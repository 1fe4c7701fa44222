// Who may ask for what, by default: every kind of account for every kind of request.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Intent } from '../../../src/contracts/intent.ts';
import { forApp } from '../../../src/session/said/asks.ts';
import { json } from '../../agent/support.ts';
import { openService, type Service } from '../support.ts';

const ROLES = ['admin', 'maintain', 'write', 'triage', 'read'] as const;
/** Of an account that GitHub does not know. */
const GONE = 900_000_000;

let service: Service;
beforeAll(async () => {
  const people = [...ROLES.map((role) => `with-${role}`), 'Bad[bot]', 'eve', 'usurper'];
  service = await openService({}, { people });
  service.allowedBots.push('good[bot]');
  for (const role of ROLES) service.repository.collaborators.set(`with-${role}`, role);
});
afterAll(() => service.close());

interface Account {
  readonly login: string;
  readonly id: number;
  readonly bot?: true;
}

/** Someone; and what happens to the account before the request is judged. */
type Someone = readonly [who: string, may: boolean, come: () => Account, later?: () => void];

let number = 0;
const known = (login: string): Account => ({
  login,
  id: service.github.as(login).user.id,
  ...(login.endsWith('[bot]') ? { bot: true } : {}),
});
/** A new account with this role. */
function newcomer(role: 'write' | 'read'): Account {
  const login = `newcomer-${(number += 1)}`;
  service.github.addUser(login);
  service.repository.collaborators.set(login, role);
  return known(login);
}
let last: Account;
const remembered = (account: Account): Account => (last = account);

const PEOPLE: readonly Someone[] = [
  ...ROLES.map((role): Someone => [
    `with the role ${role}`,
    ['admin', 'maintain', 'write'].includes(role),
    () => known(`with-${role}`),
  ]),
  ['without a role', false, () => known('stranger')],
  ['of a bot on the list', true, () => known('Good[bot]')],
  ['of a bot on no list', false, () => known('Bad[bot]')],
  ['of a bot with the name of a person', false, () => ({ ...known('with-admin'), bot: true })],
  [
    'that loses its role meanwhile',
    false,
    () => remembered(newcomer('write')),
    () => service.repository.collaborators.set(last.login, 'read'),
  ],
  [
    'that gets its role meanwhile',
    true,
    () => remembered(newcomer('read')),
    () => service.repository.collaborators.set(last.login, 'write'),
  ],
  [
    'that leaves meanwhile',
    false,
    () => remembered(newcomer('write')),
    () => service.repository.collaborators.delete(last.login),
  ],
  [
    'that is renamed meanwhile',
    true,
    () => remembered(newcomer('write')),
    () => service.github.renameUser(last.login, `${last.login}-now`),
  ],
  [
    'that gives its name to another',
    true,
    () => remembered(newcomer('write')),
    () => {
      service.github.renameUser(last.login, `${last.login}-now`);
      service.github.addUser(last.login);
    },
  ],
  ['that is gone, whose login a writer has', false, () => ({ login: 'with-write', id: GONE })],
  ['that nobody has', false, () => ({ login: 'nobody-at-all', id: GONE + 1 })],
  ['with a name like that of a writer', false, () => ({ login: 'with-writer', id: GONE + 2 })],
  ['with the number of a writer', true, () => ({ ...known('with-write'), login: 'other-login' })],
  ['with the name of the App', false, () => ({ login: 'issuewright', id: GONE + 3 })],
];

async function accept(issue: number, sender: Account, intent: Intent): Promise<string> {
  const { id } = service.repository;
  const accepted = await service.store.accept(
    {
      installation: 1,
      repository: { id, owner: 'example', name: 'greeter' },
      thread: { on: 'issue', number: issue },
      sender,
      meaning: randomUUID(),
      intent,
    },
    { id: randomUUID(), event: 'issues' },
  );
  if (accepted.outcome !== 'accepted') throw new Error(accepted.outcome);
  return accepted.session;
}

/** What the judge says of the newest that was received. */
async function verdictIn(session: string): Promise<string> {
  await service.sessionOf({ number: 0 } as never, session).publish();
  const journal = await service.store.journal(session);
  const seq = journal.findLast(({ type }) => type === 'received')?.seq;
  const verdict = journal.find((entry) => 'received' in entry && entry.received === seq);
  return verdict?.type === 'rejected' ? verdict.reason : (verdict?.type ?? 'none');
}

const commentOf = (issue: number, body: string): Intent => {
  const at = { repository: service.repository, number: issue };
  const { id: commentId, createdAt } = service.github.as('eve').comment(at, body);
  const thread = { title: 'Title', body: '', isOpen: true };
  const comment = { kind: 'comment', on: 'issue', commentId, body, at: createdAt } as const;
  const whole = { ...comment, addressed: true, thread } as const;
  return forApp(whole, { slug: 'issuewright', assignee: undefined }) ?? comment;
};

const plain = () => service.open('Title', []).number;
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const question = json(['ask_question', { question: 'Which?' }]);

/** A session that an administrator began. */
async function begun(...lines: string[]): Promise<number> {
  const session = await service.start('Title', 'with-admin');
  service.model.says(...lines);
  await session.advance();
  const row = await session.row();
  return row?.issue ?? 0;
}

type Act = readonly [
  what: string,
  issue: () => number | Promise<number>,
  intent: (issue: number) => Intent,
];

const start = { kind: 'start', title: 'Title' } as const;
const ACTS: readonly Act[] = [
  [
    'adds the label',
    () => service.open('Title', ['issuewright']).number,
    () => ({ ...start, label: 'issuewright', body: '' }),
  ],
  [
    'opens an issue that names the App',
    plain,
    () => ({ ...start, label: '', body: '@issuewright do it', addressed: true }),
  ],
  ['names the App in a comment', plain, (issue) => commentOf(issue, '@issuewright do it')],
  ['asks for more', () => begun(finish), (issue) => commentOf(issue, '@issuewright and the docs')],
  [
    'comments without naming the App',
    () => begun(finish),
    (issue) => commentOf(issue, 'The docs too.'),
  ],
  ['gives a command', () => begun(finish), (issue) => commentOf(issue, '/issuewright retry')],
  ['stops the work', () => begun(question), (issue) => commentOf(issue, '/issuewright stop')],
  ['reads the memories', () => begun(finish), (issue) => commentOf(issue, '/issuewright memory')],
  ['answers a question', () => begun(question), (issue) => commentOf(issue, 'The green one.')],
];

describe.each(ACTS)('someone who %s', (_what, issueFor, intent) => {
  const people = PEOPLE.map((one) => ({ who: one[0], may: one[1], come: one[2], later: one[3] }));
  it.each(people)('by an account $who: $may', async ({ may, come, later }) => {
    const issue = await issueFor();
    const session = await accept(issue, come(), intent(issue));
    later?.();
    expect(await verdictIn(session)).toBe(may ? 'admitted' : 'not_permitted');
  });
});

import { expect, it } from '@jest/globals';
import { withdrawnOf } from '../../../src/app/admission/who-may.ts';
import { Journal } from '../../support/journal.ts';

/** GitHub, on which nobody may do anything any more. */
const github = { permissionOf: () => Promise.resolve('none' as const) };

it('what people said is withdrawn with their access, and a conflict is not', async () => {
  const journal = new Journal().start('An old request');
  journal.receive(
    { kind: 'conflict', pullRequest: 12, branch: 'main', head: 'a', base: 'b' },
    { login: 'github', id: 0 },
  );
  const { requests } = journal.session;
  expect(requests.unread.map(({ intent }) => intent.kind)).toEqual(['start', 'conflict']);
  const entries = journal.entries.map((entry) => ({ ...entry, at: '2020-01-15T14:03:00Z' }));
  const old = { session: journal.session, entries };
  const withdrawn = await withdrawnOf(old, github, 'write', []);
  expect([...withdrawn]).toEqual([requests.unread[0]?.seq]);
});

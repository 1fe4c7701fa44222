// `/issuewright split`: sub-issues are proposed, changed by what people say, approved, and opened once each.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const ITEMS = [
  { title: 'Read names', text: 'Read the name from the arguments.' },
  { title: 'Greet by name', text: 'Use it in `greet`, @stranger. Fixes #1.' },
];
const propose = (items: readonly object[] = ITEMS) =>
  json(['propose_sub_issues', { sub_issues: items }]);

let service: Service;
let parent: Issue;
let session: Awaited<ReturnType<Service['start']>>;

beforeEach(async () => {
  service = await openService();
  parent = service.open('Greet everyone');
  const id = await service.comment(parent.number, 'maintainer', '/issuewright split');
  session = service.sessionOf(parent, id);
});
afterEach(() => service.close());

const state = async (): Promise<string | undefined> => (await session.row())?.state;
const children = (): readonly Issue[] =>
  service.repository.issues.filter(({ number }) => number > parent.number);
const comments = (): readonly string[] =>
  service.repository.comments
    .filter(({ issueNumber, author }) => issueNumber === parent.number && author.type === 'Bot')
    .map(({ body }) => body);
const proposal = (): string =>
  comments().findLast((body) => body.includes(':sub_issues:')) ?? 'no proposal';

const advance = async (): Promise<void> => {
  await session.advance();
  await session.publish();
  await session.publish();
};

async function proposed(): Promise<void> {
  service.model.says(json(['read_file', { path: 'README.md' }]), propose());
  await advance();
}

describe('/issuewright split', () => {
  it('shows what a run proposes that can only look, and opens nothing before an approval', async () => {
    service.model.says(
      json(['write_file', { path: 'a.md', content: 'a' }]),
      json(['commit', { message: 'a' }]),
      json(['finish', { summary: 'Done.' }]),
      json(['github_create_comment', { body: 'Hello.' }]),
      propose(),
    );
    await advance();
    expect(await state()).toBe('waiting(approval)');
    const calls = entriesOf(await session.journal(), 'call_finished');
    expect(calls.map(({ ok }) => ok)).toEqual([false, false, false, false, true]);
    expect(proposal()).toMatch(
      /\*\*1\.\*\* Read names\n\n> Read the name[^]*\*\*2\.\*\* Greet by name/,
    );
    expect(children()).toEqual([]);
    expect(service.model.requests[0]?.system).toContain('who splits one issue');
    expect(JSON.stringify(service.model.requests[0]?.messages)).toContain('Greet everyone');
  });

  it('opens them in their order after an approval, says so, and starts nothing', async () => {
    await proposed();
    await session.comment('maintainer', 'approve');
    await advance();
    expect(children().map(({ title }) => title)).toEqual(['Read names', 'Greet by name']);
    expect(parent.subIssues).toEqual(children().map(({ id }) => id));
    expect(children()[1]?.body).toContain('@\u200Bstranger');
    expect(children()[1]?.body).toContain('Fixes → #1');
    expect(children().every(({ labels }) => labels.length === 0)).toBe(true);
    expect(await state()).toBe('done');
    const numbers = children().map(({ number }) => number);
    expect(proposal()).toContain('Approved by maintainer.');
    expect(proposal()).toContain(`1. #${numbers[0]} Read names\n2. #${numbers[1]} Greet by name`);
    expect(await service.store.sessions({ limit: 9 })).toHaveLength(1);
    expect(entriesOf(await session.journal(), 'run_started')).toHaveLength(1);
    await session.comment('maintainer', 'approve');
    await advance();
    expect(children()).toHaveLength(2);
  });

  it('is approved by 👍 as well', async () => {
    await proposed();
    const shown = service.repository.comments.find(({ body }) => body.includes(':sub_issues:'));
    if (shown !== undefined) service.github.as('maintainer').react(shown, '+1');
    await session.advance();
    await session.advance();
    expect(children()).toHaveLength(2);
  });

  it('proposes others for other words, and opens only those', async () => {
    await proposed();
    await session.comment('maintainer', 'One is enough.');
    service.model.says(propose([{ title: 'Greet', text: 'All of it.' }]));
    await advance();
    expect(await state()).toBe('waiting(approval)');
    expect(comments().filter((body) => body.includes('Replaced by what follows'))).toHaveLength(1);
    await session.comment('maintainer', '@issuewright yes');
    await advance();
    expect(children().map(({ title }) => title)).toEqual(['Greet']);
  });

  it('is neither asked for nor approved by people who may not request work', async () => {
    await proposed();
    await session.comment('stranger', 'approve');
    await advance();
    expect([await state(), children()]).toEqual(['waiting(approval)', []]);
    const other = service.open('Greet nobody');
    const id = await service.comment(other.number, 'stranger', '/issuewright split');
    await service.sessionOf(other, id).advance();
    expect((await service.sessionOf(other, id).row())?.state).toBe('ignored');
    expect(service.model.requests).toHaveLength(2);
  });

  it('says why nothing is proposed', async () => {
    service.model.says(json(['propose_sub_issues', { reason: 'It is one line.' }]));
    await advance();
    expect([await state(), children()]).toEqual(['done', []]);
    expect(comments().join('\n')).toContain('It is one line.');
  });

  it.each([
    ['before the first is journaled', 0],
    ['before the last is journaled', 1],
  ])('opens each once if the process dies %s', async (_when, place) => {
    await proposed();
    const { store } = service;
    const append = store.append.bind(store);
    let isDead = false;
    store.append = async (id, entries, options) => {
      if (
        !isDead &&
        entries.some((one) => one.type === 'sub_issue_opened' && one.place === place)
      ) {
        isDead = true;
        throw new Error('killed');
      }
      return append(id, entries, options);
    };
    await session.comment('maintainer', 'approve');
    await expect(session.advance()).rejects.toThrow('killed');
    expect(children()).toHaveLength(place + 1);
    await advance();
    expect(children().map(({ title }) => title)).toEqual(['Read names', 'Greet by name']);
    expect(parent.subIssues).toHaveLength(2);
    expect(await state()).toBe('done');
  });

  it('says what GitHub denied, and continues there after another approval', async () => {
    await proposed();
    const path = /\/issues\/\d+\/sub_issues$/;
    const body = { message: 'Parent cannot have more than 100 sub-issues' };
    service.github.faults.failNext({ method: 'POST', path, status: 422, body });
    await session.comment('maintainer', 'approve');
    await advance();
    expect(await state()).toBe('waiting(approval)');
    expect(proposal()).toContain('GitHub did not let me make the first one a sub-issue');
    await session.comment('maintainer', 'approve');
    await advance();
    expect(children()).toHaveLength(2);
    expect(await state()).toBe('done');
  });

  it('opens one once that is proposed again after GitHub denied to add it', async () => {
    await proposed();
    const path = /\/issues\/\d+\/sub_issues$/;
    service.github.faults.failNext({ method: 'POST', path, status: 422, body: { message: 'No.' } });
    await session.comment('maintainer', 'approve');
    await advance();
    await session.comment('maintainer', 'The second one should say hello.');
    service.model.says(propose([...ITEMS.slice(0, 1), { title: 'Say hello', text: 'To all.' }]));
    await advance();
    await session.comment('maintainer', 'approve');
    await advance();
    expect(children().map(({ title }) => title)).toEqual(['Read names', 'Say hello']);
    expect(parent.subIssues).toEqual(children().map(({ id }) => id));
    expect(await state()).toBe('done');
  });

  it('opens nothing more after a stop between the first and the second', async () => {
    await proposed();
    const { store } = service;
    const append = store.append.bind(store);
    store.append = async (id, entries, options) => {
      const stored = await append(id, entries, options);
      if (entries.some((one) => one.type === 'sub_issue_opened'))
        await session.comment('maintainer', '/issuewright stop');
      return stored;
    };
    await session.comment('maintainer', 'approve');
    await session.advance();
    store.append = append;
    await advance();
    expect([await state(), children().length]).toEqual(['stopped', 1]);
  });

  it('opens nothing more after a stop', async () => {
    await proposed();
    await session.comment('maintainer', '/issuewright stop');
    await session.comment('maintainer', 'approve');
    await advance();
    expect([await state(), children()]).toEqual(['stopped', []]);
  });
});

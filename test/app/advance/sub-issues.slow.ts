// A labelled issue with sub-issues: one session for each, the next when the one before is done.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { statusComment } from '../../../src/session/texts/status-comment.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const nothing = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

let service: Service;
let parent: Issue;
let children: readonly Issue[];
let session: Awaited<ReturnType<Service['start']>>;

const maintainer = () => service.github.as('maintainer');
const at = ({ number }: Issue) => ({ repository: service.repository, number });
const child = (index: number): Issue => {
  const found = children[index];
  if (found === undefined) throw new Error(`no child ${index}`);
  return found;
};

beforeEach(async () => {
  service = await openService();
  parent = service.open('Greet everyone', ['issuewright']);
  children = ['first', 'second', 'third'].map((name) => service.open(`Greet the ${name}`));
  maintainer().addSubIssues(at(parent), ...children.map(at));
  const start = { kind: 'start', label: 'issuewright', title: parent.title, body: '' } as const;
  const opened = service.sessionOf(parent, '');
  session = service.sessionOf(parent, await opened.happens('maintainer', start));
});
afterEach(() => service.close());

/** The sessions of the children that were started, by their issues. */
async function started(): Promise<readonly number[]> {
  const rows = await service.store.sessions({ limit: 50 });
  return rows
    .flatMap(({ issue }) => (issue === parent.number ? [] : [issue]))
    .toSorted((a, b) => a - b);
}

const sessionOf = async (issue: Issue) => {
  const row = await service.store.sessionFor(service.repository.id, issue.number);
  return service.sessionOf(issue, row?.id ?? '');
};

const finish = async (issue: Issue): Promise<void> => {
  service.model.says(nothing);
  await (await sessionOf(issue)).advance();
};

const status = async (): Promise<string> =>
  plainBody(statusComment(fold(await session.journal()), { now: '2026-01-01T00:00:00Z' }));

describe('an issue with open sub-issues', () => {
  it('works on them in their order, one at a time, and asks no model itself', async () => {
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    // Without a wake-up it looks again by itself.
    expect(await session.row()).toMatchObject({
      state: 'waiting(sub-issues)',
      wakeAt: expect.any(Date),
    });
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    await finish(child(0));
    await session.advance();
    expect(await started()).toEqual([child(0).number, child(1).number]);
    expect(await status()).toContain('Cost of the sub-issues: price unknown');
    // A person closed the last one, and another one comes before the next.
    await maintainer().close(at(child(2)));
    const added = service.open('Greet the new one');
    maintainer().addSubIssues(at(parent), at(added));
    await finish(child(1));
    await session.advance();
    expect((await started()).at(-1)).toBe(added.number);
    await finish(added);
    await session.advance();
    expect((await session.row())?.state).toBe('done');
    expect(entriesOf(await session.journal(), 'run_started')).toEqual([]);
  });

  it('counts what the sub-issues of a sub-issue cost', async () => {
    const below = service.open('Greet the first of the first');
    maintainer().addSubIssues(at(child(0)), at(below));
    await session.advance();
    await (await sessionOf(child(0))).advance();
    expect(await status()).not.toContain('Cost of the sub-issues');
    await finish(below);
    await (await sessionOf(child(0))).advance();
    await session.advance();
    expect(entriesOf(await (await sessionOf(child(0))).journal(), 'run_started')).toEqual([]);
    expect(await status()).toContain('Cost of the sub-issues: price unknown');
    await maintainer().close(at(child(0)));
    await (await sessionOf(child(0))).advance();
    await session.advance();
    expect(await status()).toContain('Cost of the sub-issues: price unknown');
  });

  it('starts each in the name of whoever asked, with its parent as background', async () => {
    await session.advance();
    const first = await sessionOf(child(0));
    await first.publish();
    const [admitted] = entriesOf(await first.journal(), 'admitted');
    expect(admitted?.issue?.parent).toMatchObject({ number: parent.number });
    const [received] = entriesOf(await first.journal(), 'received');
    expect(received).toMatchObject({
      sender: { login: 'maintainer' },
      intent: { kind: 'start', subIssueOf: parent.number },
    });
  });

  it('waits for one that failed, and says what to do', async () => {
    await session.advance();
    const first = await sessionOf(child(0));
    await first.comment('maintainer', '/issuewright stop');
    await first.advance();
    expect((await first.row())?.state).toBe('stopped');
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    expect(await status()).toMatch(/❌ #\d+ Greet the first: write `\/issuewright retry` there/);
    await maintainer().close(at(child(0)));
    await session.advance();
    expect(await started()).toEqual([child(0).number, child(1).number]);
    expect(await status()).toMatch(/⏹️ #\d+ Greet the first: closed before its work was done/);
  });

  it('knows of a merge before its session does', async () => {
    await session.advance();
    service.model.says(
      json(
        ['write_file', { path: 'a.md', content: 'a' }],
        ['finish', { summary: 'Greets the first.', outcome: 'done' }],
      ),
    );
    const first = await sessionOf(child(0));
    await first.advance();
    const pull = service.repository.issues.find((one) => one.pull !== undefined);
    await maintainer().merge({ repository: service.repository, number: pull?.number ?? 0 });
    expect((await first.row())?.state).toBe('waiting(review)');
    await maintainer().close(at(child(0)));
    await session.advance();
    expect(await started()).toEqual([child(0).number, child(1).number]);
    expect(await status()).toMatch(/✅ #\d+ Greet the first/);
  });

  it('starts the next one on top of the pull request of the one before, if the settings say so', async () => {
    await maintainer().push(service.repository, {
      branch: 'main',
      message: 'Stack sub-issues',
      files: { '.github/issuewright.yml': 'sub_issues: on_top\n' },
    });
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    const work = async (index: number): Promise<void> => {
      service.model.says(
        json(
          ['write_file', { path: `${index}.md`, content: `${index}\n` }],
          ['finish', { summary: `Greets ${index}.`, outcome: 'done' }],
        ),
      );
      await (await sessionOf(child(index))).advance();
    };
    await work(0);
    await session.advance();
    expect(await started()).toEqual([child(0).number, child(1).number]);
    expect(await status()).toContain(`Working on #${child(1).number}.`);
    await work(1);
    await session.advance();
    await work(2);
    await session.advance();
    expect((await session.row())?.state).toBe('waiting(sub-issues)');
    expect(await status()).toContain(`Waiting for the merge of #${child(0).number}.`);
    const pulls = service.repository.issues.flatMap(({ pull }) => pull ?? []);
    expect(pulls.map(({ base }) => base)).toEqual([
      'main',
      `issuewright/issue-${child(0).number}`,
      `issuewright/issue-${child(1).number}`,
    ]);
    const [{ number: first } = { number: 0 }] = service.repository.issues.filter(
      ({ pull }) => pull !== undefined,
    );
    await maintainer().merge({ repository: service.repository, number: first });
    await session.advance();
    expect(await status()).toContain(`Waiting for the merge of #${child(1).number}.`);
  });

  it('starts none on top of work that was done in part', async () => {
    await maintainer().push(service.repository, {
      branch: 'main',
      message: 'Stack sub-issues',
      files: { '.github/issuewright.yml': 'sub_issues: on_top\n' },
    });
    await session.advance();
    service.model.says(
      json(
        ['write_file', { path: 'half.md', content: 'half\n' }],
        ['finish', { summary: 'Half of it.', outcome: 'partial' }],
      ),
    );
    await (await sessionOf(child(0))).advance();
    await session.advance();
    expect((await (await sessionOf(child(0))).row())?.state).toBe('waiting(review)');
    expect(await started()).toEqual([child(0).number]);
  });

  it('waits for one that could not be done', async () => {
    await session.advance();
    service.model.says(json(['finish', { summary: 'No way.', outcome: 'cannot' }]));
    await (await sessionOf(child(0))).advance();
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    expect(await status()).toMatch(/❌ #\d+ Greet the first/);
  });

  it('starts no other one once it was stopped, and continues after a retry', async () => {
    await session.advance();
    await session.comment('maintainer', '/issuewright stop');
    await session.publish();
    await finish(child(0));
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    expect((await session.row())?.state).toBe('stopped');
    await session.comment('maintainer', '/issuewright retry');
    await session.publish();
    await session.advance();
    expect(await started()).toEqual([child(0).number, child(1).number]);
    expect(entriesOf(await session.journal(), 'run_started')).toEqual([]);
  });

  it('starts one once, if the process dies before that is in its own journal', async () => {
    const { store } = service;
    const append = store.append.bind(store);
    let isDead = false;
    store.append = async (id, entries, options) => {
      if (entries.some(({ type }) => type === 'sub_issues_read') && !isDead) {
        isDead = true;
        throw new Error('killed');
      }
      return append(id, entries, options);
    };
    await expect(session.advance()).rejects.toThrow('killed');
    expect(await started()).toEqual([child(0).number]);
    await session.advance();
    expect(await started()).toEqual([child(0).number]);
    const starts = entriesOf(await (await sessionOf(child(0))).journal(), 'received');
    expect(starts).toHaveLength(1);
  });
});

describe('an issue with sub-issues in another repository alone', () => {
  it('is worked on itself', async () => {
    const elsewhere = await service.github.createRepository({
      owner: 'example',
      name: 'other',
      files: {},
      collaborators: { maintainer: 'admin' },
    });
    const plain = service.open('Greet alone', ['issuewright']);
    const far = maintainer().openIssue(elsewhere, { title: 'Far', body: '' });
    maintainer().addSubIssues(at(plain), { repository: elsewhere, number: far.number });
    const start = { kind: 'start', label: 'issuewright', title: plain.title, body: '' } as const;
    const id = await service.sessionOf(plain, '').happens('maintainer', start);
    service.model.says(nothing);
    await service.sessionOf(plain, id).advance();
    expect((await service.sessionOf(plain, id).row())?.state).toBe('done');
    expect(entriesOf(await service.store.journal(id), 'run_started')).toHaveLength(1);
  });
});

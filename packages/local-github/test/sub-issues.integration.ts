// Sub-issues, types and fields, to a real octokit.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Issue, Repository } from '../src/github/state.ts';
import { asInstallation, startPlayground, withToken, type Playground } from './support.ts';

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
let repository: Repository;
beforeAll(async () => {
  playground = await startPlayground({ events: ['issues', 'sub_issues'] });
  repository = playground.github.repository('example', 'words');
});
afterAll(() => playground.close());

const maintainer = () => playground.github.as('maintainer');
const open = (title: string): Issue => maintainer().openIssue(repository, { title, body: 'Text' });
const issues = () => asInstallation(playground.github).rest.issues;
const one = ({ number }: Issue) => ({ ...at, issue_number: number });
const actions = async (): Promise<readonly unknown[]> => {
  await playground.github.webhooksSent();
  return playground.received
    .splice(0)
    .map(({ event, payload }) => `${event}.${String(payload['action'])}`);
};

describe('the sub-issues of an issue', () => {
  it('are added, listed in their order, moved and removed, and the repository hears of it', async () => {
    const [parent, first, second] = [open('Parent'), open('First'), open('Second')];
    await actions();
    for (const { id } of [first, second])
      await issues().addSubIssue({ ...one(parent), sub_issue_id: id });
    expect(await actions()).toEqual(
      Array(2).fill(['sub_issues.sub_issue_added', 'sub_issues.parent_issue_added']).flat(),
    );
    const titles = async () =>
      (await issues().listSubIssues(one(parent))).data.map(({ title }) => title);
    expect(await titles()).toEqual(['First', 'Second']);
    const move = { sub_issue_id: second.id, before_id: first.id };
    await issues().reprioritizeSubIssue({ ...one(parent), ...move });
    expect(await titles()).toEqual(['Second', 'First']);
    await maintainer().close({ repository, number: first.number });
    expect((await issues().get(one(parent))).data.sub_issues_summary).toEqual({
      total: 2,
      completed: 1,
      percent_completed: 50,
    });
    await actions();
    await issues().removeSubIssue({ ...one(parent), sub_issue_id: second.id });
    expect(await titles()).toEqual(['First']);
    expect(await actions()).toEqual([
      'sub_issues.sub_issue_removed',
      'sub_issues.parent_issue_removed',
    ]);
  });

  it('name their parent, and an issue without one names none', async () => {
    const [parent, child] = [open('Parent'), open('Child')];
    maintainer().addSubIssues(
      { repository, number: parent.number },
      { repository, number: child.number },
    );
    const { data } = await issues().get(one(child));
    expect(data.parent_issue_url).toBe(`${data.repository_url}/issues/${parent.number}`);
    expect((await issues().getParent(one(child))).data.number).toBe(parent.number);
    expect((await issues().get(one(parent))).data).not.toHaveProperty('parent_issue_url');
    await expect(issues().getParent(one(parent))).rejects.toMatchObject({ status: 404 });
  });

  it('have one parent, of the same owner, and are added by those who may triage', async () => {
    const [parent, other, child] = [open('Parent'), open('Other'), open('Child')];
    const wanted = { sub_issue_id: child.id };
    await issues().addSubIssue({ ...one(parent), ...wanted });
    for (const to of [parent, other])
      await expect(issues().addSubIssue({ ...one(to), ...wanted })).rejects.toMatchObject({
        status: 422,
        message: expect.stringContaining('only have one parent'),
      });
    await issues().addSubIssue({ ...one(other), ...wanted, replace_parent: true });
    expect((await issues().getParent(one(child))).data.number).toBe(other.number);
    const elsewhere = await playground.github.createRepository({
      owner: 'someone',
      name: 'words',
      files: {},
      collaborators: { maintainer: 'admin' },
    });
    const foreign = maintainer().openIssue(elsewhere, { title: 'Foreign' });
    await expect(
      issues().addSubIssue({ ...one(parent), sub_issue_id: foreign.id }),
    ).rejects.toMatchObject({ status: 422 });
    const stranger = withToken(playground.github, 'user_stranger').rest.issues;
    await expect(stranger.addSubIssue({ ...one(parent), ...wanted })).rejects.toMatchObject({
      status: 403,
    });
  });
});

describe('the type of an issue', () => {
  it('is set when it is opened or later, by those who may push, and announced', async () => {
    await actions();
    const person = withToken(playground.github, 'user_maintainer').rest.issues;
    const { data: made } = await person.create({ ...at, title: 'Typed', type: 'bug' });
    expect(made.type).toMatchObject({ name: 'Bug' });
    expect(await actions()).toEqual(['issues.opened', 'issues.typed']);
    const where = { ...at, issue_number: made.number };
    const stranger = withToken(playground.github, 'user_stranger').rest.issues;
    const { data: theirs } = await stranger.create({ ...at, title: 'Theirs', type: 'Bug' });
    expect(theirs.type).toBeNull();
    await actions();
    expect((await issues().update({ ...where, type: null })).data.type).toBeNull();
    expect(await actions()).toEqual(['issues.untyped']);
    await expect(issues().update({ ...where, type: 'Nothing' })).rejects.toMatchObject({
      status: 422,
    });
  });

  it('stands beside the fields that its organization has', async () => {
    const issue = open('With fields');
    maintainer().setField({ repository, number: issue.number }, 'Priority', 'High');
    expect((await issues().get(one(issue))).data.issue_field_values).toMatchObject([
      { issue_field_name: 'Priority', value: 'High' },
    ]);
  });
});

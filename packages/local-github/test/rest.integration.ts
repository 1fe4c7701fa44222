import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from './support.ts';
import { asApp, asInstallation, mintToken, startPlayground, withToken } from './support.ts';
import { sendWrongRequests } from '../../../test/support/github-schemas/wrong-requests.ts';

sendWrongRequests();

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());

describe('the local GitHub to a real octokit', () => {
  it('names the app to its JWT, under / and under /api/v3', async () => {
    for (const prefix of ['', '/api/v3']) {
      const { data } = await asApp(playground.github, prefix).rest.apps.getAuthenticated();
      expect(data).toMatchObject({ id: 4242, slug: 'issuewright' });
    }
  });

  it('lets an installation comment, edit, react and label', async () => {
    const { github } = playground;
    const repository = github.repository('example', 'words');
    const issue = github.as('maintainer').openIssue(repository, { title: 'A title', body: 'Text' });
    const client = asInstallation(github, '/api/v3');
    const where = { ...at, issue_number: issue.number };
    const { data: comment } = await client.rest.issues.createComment({ ...where, body: 'Hello' });
    expect(comment).toMatchObject({
      body: 'Hello',
      user: { login: 'issuewright[bot]', type: 'Bot' },
    });
    expect(comment.performed_via_github_app?.slug).toBe('issuewright');
    await client.rest.issues.updateComment({ ...at, comment_id: comment.id, body: 'Bye' });
    expect(repository.comments[0]?.body).toBe('Bye');
    const react = () => client.rest.reactions.createForIssue({ ...where, content: 'eyes' });
    expect((await react()).status).toBe(201);
    expect((await react()).status).toBe(200);
    const { data: labels } = await client.rest.issues.addLabels({ ...where, labels: ['a b'] });
    expect(labels.map((label) => label.name)).toEqual(['a b']);
    await client.rest.issues.removeLabel({ ...where, name: 'a b' });
    const { data: reread } = await client.rest.issues.get(where);
    expect(reread).toMatchObject({ title: 'A title', comments: 1, labels: [], state: 'open' });
    expect(reread.updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    await client.rest.issues.deleteComment({ ...at, comment_id: comment.id });
    expect(repository.comments).toEqual([]);
  });

  it('opens, updates, reviews and really merges a pull request', async () => {
    const { github } = playground;
    const repository = github.repository('example', 'words');
    const maintainer = github.as('maintainer');
    const client = asInstallation(github);
    const open = (head: string) =>
      client.rest.pulls.create({ ...at, title: 'Two', head, base: 'main', draft: true });
    await expect(open('missing')).rejects.toMatchObject({
      status: 422,
      response: { data: { message: 'Validation Failed', errors: [{ field: 'head' }] } },
    });
    const head = await maintainer.push(repository, {
      branch: 'two',
      files: { 'src/two.js': 'export const two = 2;\n' },
      message: 'Add two',
    });
    const { data: pull } = await open('two');
    expect(pull).toMatchObject({ draft: true, head: { sha: head }, commits: 1, changed_files: 1 });
    await expect(open('two')).rejects.toMatchObject({
      response: {
        data: { errors: [{ message: 'A pull request already exists for example:two.' }] },
      },
    });
    const where = { ...at, pull_number: pull.number };
    const second = await maintainer.push(repository, {
      branch: 'two',
      files: { 'src/two.js': 'export const two = 1 + 1;\n' },
      message: 'Count',
    });
    const { data: found } = await client.rest.pulls.list({ ...at, head: 'example:two' });
    expect(found.map((one) => one.head.sha)).toEqual([second]);
    const ready = `mutation($id: ID!) { markPullRequestReadyForReview(input: {pullRequestId: $id}) { pullRequest { isDraft } } }`;
    expect(await client.graphql(ready, { id: pull.node_id })).toMatchObject({
      markPullRequestReadyForReview: { pullRequest: { isDraft: false } },
    });
    await expect(client.graphql(ready, { id: 'PR_nothing' })).rejects.toThrow(/Could not resolve/);
    await maintainer.review(
      { repository, number: pull.number },
      {
        event: 'REQUEST_CHANGES',
        body: 'Nearly',
        comments: [{ path: 'src/two.js', line: 1, body: 'Plain 2' }],
      },
    );
    const { data: reviews } = await client.rest.pulls.listReviews(where);
    expect(reviews).toMatchObject([{ state: 'CHANGES_REQUESTED', commit_id: second }]);
    const { data: comments } = await client.rest.pulls.listCommentsForReview({
      ...where,
      review_id: reviews[0]!.id,
    });
    expect(comments).toMatchObject([{ path: 'src/two.js', line: 1, body: 'Plain 2' }]);
    const { data: files } = await client.rest.pulls.listFiles(where);
    expect(files).toMatchObject([{ filename: 'src/two.js', status: 'added', additions: 1 }]);
    expect(files[0]?.patch).toBe('@@ -0,0 +1 @@\n+export const two = 1 + 1;');
    const { data: merge } = await client.rest.pulls.merge(where);
    expect(await repository.git.head('main')).toBe(merge.sha);
    const { data: merged } = await client.rest.pulls.get(where);
    expect(merged).toMatchObject({ merged: true, state: 'closed', merge_commit_sha: merge.sha });
    const { data: commit } = await client.rest.repos.getCommit({ ...at, ref: merge.sha });
    expect(commit.parents.map((parent) => parent.sha)).toContain(second);
    await client.rest.git.deleteRef({ ...at, ref: 'heads/two' });
    expect(await repository.git.head('two')).toBeUndefined();
    expect((await client.rest.pulls.get(where)).data.head.sha).toBe(second);
    await expect(open('main')).rejects.toMatchObject({
      response: { data: { errors: [{ message: 'No commits between main and main' }] } },
    });
  });

  it('assigns issues to people with access, and to the App if GitHub offers it', async () => {
    const { github } = playground;
    const client = asInstallation(github);
    const repository = github.repository('example', 'words');
    const { number } = github.as('maintainer').openIssue(repository, { title: 'Mine', body: '' });
    const where = { ...at, issue_number: number };
    const bot = 'issuewright[bot]';
    const assign = () =>
      client.rest.issues.addAssignees({ ...where, assignees: ['maintainer', bot, 'nobody'] });
    const names = async () =>
      (await client.rest.issues.get(where)).data.assignees?.map(({ login }) => login);
    await assign();
    expect(await names()).toEqual(['maintainer']);
    github.appOwner.change({ isAssignable: true });
    await assign();
    github.appOwner.change({ isAssignable: false });
    expect(await names()).toEqual(['maintainer', bot]);
    await client.rest.issues.removeAssignees({ ...where, assignees: ['maintainer'] });
    expect(await names()).toEqual([bot]);
    const { data: events } = await client.rest.issues.listEvents(where);
    expect(events.at(-1)).toMatchObject({
      event: 'unassigned',
      assignee: { login: 'maintainer' },
      assigner: { login: bot },
    });
    const check = (assignee: string) =>
      client.rest.issues.checkUserCanBeAssigned({ ...at, assignee });
    expect((await check('maintainer')).status).toBe(204);
    await expect(check('nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('tells who labelled, renamed and edited an issue', async () => {
    const { github } = playground;
    const client = asInstallation(github);
    const repository = github.repository('example', 'words');
    const person = github.as('maintainer');
    const issue = person.openIssue(repository, { title: 'Old', body: 'x', labels: ['first'] });
    const { number } = issue;
    person.label({ repository, number }, 'second');
    person.unlabel({ repository, number }, 'first');
    await person.change({ repository, number }, { title: 'New' });
    const { data: events } = await client.rest.issues.listEvents({ ...at, issue_number: number });
    expect(events).toMatchObject(
      ['labeled', 'labeled', 'unlabeled', 'renamed'].map((event) => ({
        event,
        actor: { login: 'maintainer', type: 'User' },
      })),
    );
    expect(events[1]).toMatchObject({ label: { name: 'second' } });
    const ask = `query ($owner: String!, $name: String!, $issue: Int!) {
      repository(owner: $owner, name: $name) {
        issue(number: $issue) { lastEditedAt editor { login } }
      }
    }`;
    const variables = { owner: at.owner, name: at.repo, issue: number };
    const nobody = { repository: { issue: { lastEditedAt: null, editor: null } } };
    expect(await client.graphql(ask, variables)).toEqual(nobody);
    await person.change({ repository, number }, { body: 'y' });
    expect(await client.graphql(ask, variables)).toMatchObject({
      repository: { issue: { editor: { login: 'maintainer' } } },
    });
  });

  it('reads files, directories and refs', async () => {
    const client = asInstallation(playground.github);
    const { data } = await client.rest.repos.getContent({ ...at, path: 'src/index.js' });
    expect(data).toMatchObject({ type: 'file', encoding: 'base64', path: 'src/index.js' });
    const text = 'content' in data ? Buffer.from(data.content, 'base64').toString() : '';
    expect(text).toBe('export const one = 1;\n');
    const { data: list } = await client.rest.repos.getContent({ ...at, path: '' });
    expect(list).toMatchObject([{ name: 'README.md' }, { name: 'src', type: 'dir' }]);
    await expect(
      client.rest.repos.getContent({ ...at, path: '.github/issuewright.yml' }),
    ).rejects.toMatchObject({ status: 404, response: { data: { message: 'Not Found' } } });
    const { data: ref } = await client.rest.git.getRef({ ...at, ref: 'heads/main' });
    const head = await playground.github.repository('example', 'words').git.head('main');
    expect(ref.object.sha).toBe(head);
  });

  it.each([
    ['maintainer', 'admin', 'admin'],
    ['helper', 'read', 'triage'],
    ['stranger', 'read', 'read'],
  ])('answers the permission of %s as %s, %s', async (username, permission, role) => {
    const client = asInstallation(playground.github);
    const { data } = await client.rest.repos.getCollaboratorPermissionLevel({ ...at, username });
    expect(data).toMatchObject({ permission, role_name: role, user: { login: username } });
  });

  it('pages lists with Link headers that octokit follows', async () => {
    const { github } = playground;
    const repository = github.repository('example', 'words');
    const issue = github.as('maintainer').openIssue(repository, { title: 'Many comments' });
    for (const index of Array.from({ length: 7 }).keys())
      github.as('stranger').comment({ repository, number: issue.number }, `Number ${index}`);
    const client = asInstallation(github, '/api/v3');
    const comments = await client.paginate(client.rest.issues.listComments, {
      ...at,
      issue_number: issue.number,
      per_page: 3,
    });
    expect(comments.map((comment) => comment.body?.slice(-1)).join('')).toBe('0123456');
  });

  it('lists what happened in a repository since a time, and says if that is unchanged', async () => {
    const { github } = playground;
    const repository = github.repository('example', 'words');
    const issue = github.as('maintainer').openIssue(repository, { title: 'Labelled' });
    github.as('maintainer').label({ repository, number: issue.number }, 'news');
    github.as('stranger').comment({ repository, number: issue.number }, 'The newest');
    const { issues } = asInstallation(github).rest;
    const { data: events } = await issues.listEventsForRepo(at);
    expect(events[0]).toMatchObject({
      event: 'labeled',
      label: { name: 'news' },
      issue: { number: issue.number },
    });
    const sorted = { ...at, sort: 'updated', direction: 'desc' } as const;
    const { data: comments } = await issues.listCommentsForRepo(sorted);
    expect(comments[0]?.body).toBe('The newest');
    const since = { ...at, since: issue.updatedAt };
    const { data: changed, headers } = await issues.listForRepo(since);
    expect(changed.map(({ number }) => number)).toContain(issue.number);
    expect((await issues.listForRepo({ ...at, since: '2100-01-01T00:00:00Z' })).data).toEqual([]);
    const again = () =>
      issues.listForRepo({ ...since, headers: { 'if-none-match': headers.etag ?? '' } });
    await expect(again()).rejects.toMatchObject({ status: 304 });
    github.as('stranger').comment({ repository, number: issue.number }, 'One more');
    expect((await again()).status).toBe(200);
  });
});

describe('what the local GitHub denies', () => {
  it.each([
    ['a wrong token', 'ghs_wrong', 401, 'Bad credentials'],
    ['nobody', '', 401, 'Requires authentication'],
  ])('%s', async (_who, token, status, message) => {
    const answer = await fetch(`${playground.github.url}/repos/example/words`, {
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ message, status: String(status) });
  });

  it('a token without the permission, and one without the repository', async () => {
    const { github } = playground;
    await github.createRepository({
      owner: 'example',
      name: 'other',
      files: { a: 'b' },
      collaborators: {},
    });
    const readOnly = withToken(
      github,
      await mintToken(github, { permissions: { issues: 'read' } }),
    );
    const elsewhere = withToken(github, await mintToken(github, { repositories: ['other'] }));
    for (const client of [readOnly, elsewhere])
      await expect(
        client.rest.issues.createComment({ ...at, issue_number: 1, body: 'No' }),
      ).rejects.toMatchObject({
        status: 403,
        response: { data: { message: 'Resource not accessible by integration' } },
      });
  });

  it('a suspended installation and an expired token', async () => {
    const { github } = playground;
    const token = await mintToken(github);
    expect(token.length).toBeGreaterThan(480);
    github.expireTokens();
    await expect(withToken(github, token).rest.repos.get(at)).rejects.toMatchObject({
      status: 401,
    });
    github.installations.suspend(1);
    await expect(mintToken(github)).rejects.toMatchObject({ status: 403 });
    github.installations.unsuspend(1);
    expect(await mintToken(github)).toMatch(/^ghs_4242_/);
  });

  it.each([
    [{ repositories: ['nowhere'] }, /does not exist or is not accessible/],
    [{ permissions: { administration: 'write' as const } }, /not granted to this installation/],
  ])('a token for %j', async (wanted, message) => {
    await expect(mintToken(playground.github, wanted)).rejects.toThrow(message);
  });

  it('a body that is too long, one that is not JSON, and an address that does not exist', async () => {
    const { github } = playground;
    const client = asInstallation(github);
    const where = { ...at, issue_number: 1 };
    await client.rest.issues.createComment({ ...where, body: 'x'.repeat(65_536) });
    await expect(
      client.rest.issues.createComment({ ...where, body: 'x'.repeat(65_537) }),
    ).rejects.toMatchObject({ status: 422, response: { data: { message: 'Validation Failed' } } });
    const headers = { authorization: 'Bearer user_maintainer' };
    const broken = await fetch(`${github.url}/repos/example/words/issues`, {
      method: 'POST',
      headers,
      body: '{',
    });
    expect([broken.status, await broken.json()]).toMatchObject([
      400,
      { message: 'Problems parsing JSON' },
    ]);
    const nowhere = await fetch(`${github.url}/api/v3/nothing/here`, { headers });
    expect([nowhere.status, await nowhere.json()]).toMatchObject([404, { message: 'Not Found' }]);
  });

  it.each([
    ['{ repository(owner: "example", name: "words") { nam } }', /Cannot query field "nam"/],
    [
      '{ repository(owner: "example", name: "none") { name } }',
      /Could not resolve to a Repository with the name 'example\/none'/,
    ],
    [
      'query ($n: Int!) { repository(owner: "example", name: "words") { issue(number: $n) { id } } }',
      /\$n/,
    ],
  ])('the GraphQL query %s', async (query, words) => {
    await expect(asInstallation(playground.github).graphql(query)).rejects.toThrow(words);
  });

  it('a person who labels without the role for it', async () => {
    const label = (login: string) =>
      withToken(playground.github, `user_${login}`).rest.issues.addLabels({
        ...at,
        issue_number: 1,
        labels: ['issuewright'],
      });
    await expect(label('stranger')).rejects.toMatchObject({ status: 403 });
    expect((await label('helper')).status).toBe(200);
  });
});

it('notes the permissions that were really needed', () => {
  expect([...playground.github.usedPermissions].toSorted()).toEqual([
    'contents:read',
    'contents:write',
    'issues:read',
    'issues:write',
    'metadata:read',
    'pull_requests:read',
    'pull_requests:write',
  ]);
});

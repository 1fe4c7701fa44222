// What GraphQL says of an issue and of what is around it.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { asInstallation, startPlayground, type Playground } from './support.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());

const QUERY = `query ($number: Int!) {
  repository(owner: "example", name: "words") {
    databaseId
    issue(number: $number) {
      createdAt
      closedByPullRequestsReferences(first: 5) { nodes { number state isCrossRepository author { login } } }
      timelineItems(first: 9, itemTypes: [CROSS_REFERENCED_EVENT, REOPENED_EVENT]) {
        nodes {
          __typename
          ... on CrossReferencedEvent {
            willCloseTarget
            source { ... on PullRequest { number repository { databaseId } } ... on Issue { title } }
          }
          ... on ReopenedEvent { createdAt actor { login } }
        }
      }
    }
    pullRequests(states: [OPEN], first: 5, orderBy: { field: CREATED_AT, direction: DESC }) {
      totalCount
      nodes { number headRefName files(first: 5) { nodes { path } } }
    }
    refs(refPrefix: "refs/heads/", query: "day", first: 5) { nodes { name } }
    defaultBranchRef { name target { ... on Commit { history(first: 1) { nodes { oid message committedDate } } } } }
  }
}`;

it('an issue knows the pull requests that close it, who names it, and when it was reopened', async () => {
  const { github } = playground;
  const repository = github.repository('example', 'words');
  const maintainer = github.as('maintainer');
  const stranger = github.as('stranger');
  const { number } = maintainer.openIssue(repository, { title: 'Days', body: '' });
  maintainer.openIssue(repository, { title: 'Also', body: `Like #${number}, not #${number}1` });
  const files = { 'days.md': 'x\n' };
  await maintainer.push(repository, { branch: 'days', files, message: 'Days' });
  const body = `Fixes #${number}`;
  await maintainer.openPull(repository, { title: 'Days', body, head: 'days', base: 'main' });
  const fork = await stranger.fork(repository);
  await stranger.push(fork, { branch: 'patch', files, message: 'Patch' });
  const head = 'stranger:patch';
  await stranger.openPull(repository, { title: 'Patch', body, head, base: 'main' });
  await maintainer.change({ repository, number }, { state: 'closed' });
  await maintainer.reopen({ repository, number });

  expect(await asInstallation(github).graphql(QUERY, { number })).toMatchObject({
    repository: {
      databaseId: repository.id,
      issue: {
        closedByPullRequestsReferences: {
          nodes: [
            { state: 'OPEN', isCrossRepository: false, author: { login: 'maintainer' } },
            { state: 'OPEN', isCrossRepository: true, author: { login: 'stranger' } },
          ],
        },
        timelineItems: {
          nodes: [
            {
              __typename: 'CrossReferencedEvent',
              willCloseTarget: false,
              source: { title: 'Also' },
            },
            { willCloseTarget: true, source: { repository: { databaseId: repository.id } } },
            { willCloseTarget: true },
            { __typename: 'ReopenedEvent', actor: { login: 'maintainer' } },
          ],
        },
      },
      pullRequests: {
        totalCount: 2,
        nodes: [
          { headRefName: 'patch', files: { nodes: [{ path: 'days.md' }] } },
          { headRefName: 'days' },
        ],
      },
      refs: { nodes: [{ name: 'days' }] },
      defaultBranchRef: { name: 'main', target: { history: { nodes: [{}] } } },
    },
  });
});

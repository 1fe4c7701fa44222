// That what passes between the local GitHub and its clients is compared with GitHub's descriptions: each test plants
// one mistake. Jest's environment has every local GitHub checked.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findBreakingChanges } from 'graphql';
import { routes } from '../src/github/rest/index.ts';
import { SCHEMA } from '../src/github/graphql/schema.ts';
import type { Repository } from '../src/github/state.ts';
import { SchemaCheck } from '../../../test/support/github-schemas/check.ts';
import {
  DIFFERENCES,
  isListed,
  UNDESCRIBED,
} from '../../../test/support/github-schemas/differences.ts';
import { GraphqlDocuments } from '../../../test/support/github-schemas/graphql-documents.ts';
import { Operations } from '../../../test/support/github-schemas/operations.ts';
import { asInstallation, startPlayground, type Playground } from './support.ts';

const at = { owner: 'example', repo: 'words' };

describe('a local GitHub that is closed', () => {
  let playground: Playground;
  let repository: Repository;
  let client: ReturnType<typeof asInstallation>;

  beforeEach(async () => {
    playground = await startPlayground();
    repository = playground.github.repository('example', 'words');
    client = asInstallation(playground.github);
  });
  afterEach(() => playground.close().catch(() => {}));

  const openIssue = (title = 'One') =>
    playground.github.as('maintainer').openIssue(repository, { title, body: 'x' });

  it('says nothing if all was as GitHub describes it', async () => {
    const { number } = openIssue();
    await client.rest.issues.get({ ...at, issue_number: number });
    await expect(playground.close()).resolves.toBeUndefined();
  });

  it('names a field of an answer that has another type, where it is, and how often it was so', async () => {
    const { number } = openIssue();
    await playground.github.webhooksSent();
    const [issue] = repository.issues;
    Object.assign(issue ?? {}, { createdAt: 'yesterday' });
    for (let times = 0; times < 2; times += 1)
      await client.rest.issues.get({ ...at, issue_number: number });
    await expect(playground.close()).rejects.toThrow(
      /issues\/get, answer: \/created_at .*format "date-time", was "yesterday" \(2 ×\)/,
    );
  });

  it('names a field of an answer that is missing', async () => {
    Object.assign(repository, { defaultBranch: undefined });
    await client.rest.repos.get(at);
    await expect(playground.close()).rejects.toThrow(
      'repos/get, answer: /default_branch is to be a field, was nothing (1 ×)',
    );
  });

  it('names a field of an answer that GitHub has not', () => {
    const check = new SchemaCheck({ mayBeRefused: () => false });
    const label = { id: 1, node_id: 'LA_1', name: 'bug', description: null, color: 'ff0000' };
    const address = { url: 'https://github.test/labels/bug', default: false };
    check.answered({
      method: 'GET',
      route: '/repos/:owner/:repo/labels',
      params: { owner: 'example', repo: 'words' },
      query: {},
      body: undefined,
      status: 200,
      answer: [{ ...label, ...address, colour: 'red' }],
    });
    expect(check.differences).toEqual([
      'issues/list-labels-for-repo, answer: /-/colour is to be no such field, was "red" (1 ×)',
    ]);
  });

  it('names a field of a body that GitHub has not', async () => {
    await client.request('POST /repos/{owner}/{repo}/issues', {
      ...at,
      title: 'One',
      label: 'bug',
    });
    await expect(playground.close()).rejects.toThrow(
      'issues/create, body: /label is to be no such field, was "bug" (1 ×)',
    );
  });

  it('names a parameter that GitHub has not, and one of another type', async () => {
    await client.request('GET /repos/example/words/issues?per_page=ten&who=me');
    const closing = playground.close();
    await expect(closing).rejects.toThrow('issues/list-for-repo, query: /who is to be no such');
    await expect(closing).rejects.toThrow('query: /per_page is to be integer, was "ten"');
  });

  it('names a field of a webhook that has another type', async () => {
    const { number } = openIssue();
    const [issue] = repository.issues;
    Object.assign(issue ?? {}, { locked: 'no' });
    playground.github.as('maintainer').label({ repository, number }, 'bug');
    await playground.github.webhooksSent();
    await expect(playground.close()).rejects.toThrow(
      'webhook issues-labeled: /issue/locked is to be boolean, was "no" (1 ×)',
    );
  });

  it('names a GraphQL document that GitHub cannot read, also if nobody minded its answer', async () => {
    const query = '{ repository(owner: "example", name: "words") { nam } }';
    await client.graphql(query).catch(() => {});
    await expect(playground.close()).rejects.toThrow(
      /Cannot query field "nam" on type "Repository"/,
    );
  });

  it('names a variable that a GraphQL document does not declare', async () => {
    await client.graphql('{ viewer: repository(owner: "example", name: "words") { id } }', {
      a: 1,
    });
    await expect(playground.close()).rejects.toThrow('the variable $a is declared');
  });
});

describe('the local GitHub', () => {
  it('serves operations that GitHub describes, and others for a reason', () => {
    const operations = new Operations();
    const undescribed = routes
      .filter(({ method, path }) => operations.find(method, path) === undefined)
      .map(({ method, path }) => `${method} ${path}`);
    expect(undescribed.toSorted()).toEqual([...UNDESCRIBED.keys()].toSorted());
    for (const reason of UNDESCRIBED.values()) expect(reason).not.toBe('');
  });

  it('has a part of the GraphQL schema of GitHub, and nothing else', () => {
    const { schema } = new GraphqlDocuments();
    const missing = findBreakingChanges(SCHEMA, schema).map(({ description }) => description);
    // Which is documented elsewhere: see the list of differences.
    expect(missing).toEqual([
      'RepositorySuggestedActorFilter was removed.',
      'ActorConnection was removed.',
      'Field Repository.suggestedActors was removed.',
    ]);
  });

  it('differs from the descriptions of GitHub only for a reason', () => {
    for (const { reason } of DIFFERENCES) expect(reason.length).toBeGreaterThan(20);
  });

  it('names the App in full where it opened an issue, and nowhere else', () => {
    const path = '/issue/performed_via_github_app/client_id';
    const listed = ['opened', 'edited', 'closed', 'labeled'].filter((action) =>
      isListed(`webhook issues-${action}`, { path, wanted: 'no such field', found: '' }),
    );
    expect(listed).toEqual(['opened']);
  });
});

// Issues that the App opens, and makes sub-issues of another one.
import { SUB_ISSUE_CHANGES } from '../../../github/sub-issues.ts';
import { valueIn } from '../ask-github.ts';
import { requireAccepted, requireDenied, requireThat, type Belief, type Proof } from '../proof.ts';
import { ownerOf } from '../scenery.ts';

const numbersIn = (body: unknown): readonly unknown[] =>
  Array.isArray(body) ? body.map((one) => valueIn(one, 'number')) : [];

async function readSubIssues({ app, scenery }: Proof): Promise<readonly unknown[]> {
  const { number } = await scenery.parent();
  const path = `issues/${number}/sub_issues?per_page=100`;
  return numbersIn(requireAccepted(await app('api').rest('GET', path)).body);
}

export const SUB_ISSUE_BELIEFS: readonly Belief[] = [
  {
    id: ownerOf('opened'),
    says: 'A list of issues has a new one as soon as it was opened.',
    source: 'unproven',
    ask: async ({ app, scenery }) => {
      const { number } = await scenery.opened();
      const path = 'issues?state=all&sort=created&direction=desc&per_page=100';
      const { body } = requireAccepted(await app('api').rest('GET', path));
      requireThat(numbersIn(body).includes(number), `the list has no #${number}`);
    },
  },
  {
    id: ownerOf('parent'),
    says: 'With issues: write, the App makes an issue a sub-issue of another one.',
    source: 'https://docs.github.com/en/rest/issues/sub-issues#add-sub-issue',
    ask: async (proof) => {
      const { children } = await proof.scenery.parent();
      const listed = await readSubIssues(proof);
      const isThere = children.every(({ number }) => listed.includes(number));
      requireThat(isThere, `the parent has ${listed.length} sub-issues`);
    },
  },
  {
    id: 'sub-issue-added-last',
    says: 'An issue that is added becomes the last sub-issue of its parent.',
    source: 'unproven',
    ask: async (proof) => {
      const added = (await proof.scenery.parent()).children.map(({ number }) => number);
      const listed = await readSubIssues(proof);
      requireThat(String(listed) === String(added), `the order is ${listed.join(', ')}`);
    },
  },
  {
    id: 'parent-of-an-issue',
    says: 'A sub-issue names its parent.',
    source: 'google/go-github#3840',
    ask: async ({ app, scenery }) => {
      const { number, children } = await scenery.parent();
      const path = `issues/${children[0].number}`;
      const { body } = requireAccepted(await app('api').rest('GET', path));
      const parent = String(valueIn(body, 'parent_issue_url'));
      requireThat(parent.endsWith(`/issues/${number}`), `its parent_issue_url is ${parent}`);
    },
  },
  {
    id: 'parent-in-timeline',
    says: 'By GraphQL, the App reads who made an issue a sub-issue, and when.',
    source: 'https://docs.github.com/en/graphql/reference/objects#parentissueaddedevent',
    ask: async ({ app, scenery, repository: { owner, name }, appLogin }) => {
      const [{ number: issue }] = (await scenery.parent()).children;
      const asked = await app('api').graphql(SUB_ISSUE_CHANGES, { owner, name, issue });
      const path = ['data', 'repository', 'issue', 'timelineItems', 'nodes'];
      const nodes = valueIn(requireAccepted(asked).body, ...path);
      const events: readonly unknown[] = Array.isArray(nodes) ? nodes : [];
      const added = events.find((one) => valueIn(one, '__typename') === 'ParentIssueAddedEvent');
      const by = String(valueIn(added, 'actor', 'login'));
      requireThat(`${by}[bot]` === appLogin, `it was ${by}`);
    },
  },
  {
    id: 'one-parent',
    says: 'An issue that has a parent is not added to another one.',
    source: 'cli/cli#13413',
    ask: async ({ app, scenery }) => {
      const [one, other] = (await scenery.parent()).children;
      const options = { body: { sub_issue_id: one.id } };
      const path = `issues/${other.number}/sub_issues`;
      requireDenied(await app('api').rest('POST', path, options), 422);
    },
  },
];

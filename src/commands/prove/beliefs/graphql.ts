// What the App reads by GraphQL. GitHub has no list of the permissions that this takes.
import { requireAccepted, type Belief } from '../proof.ts';

const READS: readonly (readonly [field: string, id: string, selection: string])[] = [
  ['issues', 'graphql-issues', 'issues(first: 1) { nodes { number } }'],
  ['pullRequests', 'graphql-pull-requests', 'pullRequests(first: 1) { nodes { number } }'],
  ['refs', 'graphql-refs', 'refs(refPrefix: "refs/heads/", first: 1) { nodes { name } }'],
  ['defaultBranchRef', 'graphql-default-branch', 'defaultBranchRef { name }'],
  [
    'suggestedActors',
    'graphql-suggested-actors',
    'suggestedActors(capabilities: [CAN_BE_ASSIGNED], first: 1) { nodes { login } }',
  ],
];

const queryFor = (selection: string): string =>
  `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${selection} } }`;

const ISSUE = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) { number } }
}`;

export const GRAPHQL_READS: readonly Belief[] = [
  {
    id: 'graphql-issue',
    says: 'The token that writes comments reads an issue by GraphQL.',
    source: 'unproven',
    ask: async ({ app, repository: { owner, name }, issue: number }) =>
      void requireAccepted(await app('api').graphql(ISSUE, { owner, name, number })),
  },
  ...READS.map(([field, id, selection]): Belief => ({
    id,
    says: `It reads \`${field}\` of a repository so.`,
    source: 'unproven',
    ask: async ({ app, repository: { owner, name } }) =>
      void requireAccepted(await app('api').graphql(queryFor(selection), { owner, name })),
  })),
];

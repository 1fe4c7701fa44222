// The part of GitHub's GraphQL schema that the local GitHub knows, with GitHub's names and types.
import { buildSchema } from 'graphql';

export const SCHEMA = buildSchema(`
scalar DateTime

interface Actor { login: String! }
type User implements Actor & Node { id: ID! login: String! }
type Bot implements Actor & Node { id: ID! login: String! }
type Organization implements Actor & Node { id: ID! login: String! }

interface Node { id: ID! }

type Query {
  repository(owner: String!, name: String!, followRenames: Boolean = true): Repository
  node(id: ID!): Node
}

type Repository implements Node {
  id: ID!
  name: String!
  nameWithOwner: String!
  issue(number: Int!): Issue
  pullRequest(number: Int!): PullRequest
}

type Issue implements Node {
  id: ID!
  number: Int!
  title: String!
  lastEditedAt: DateTime
  editor: Actor
}

type PullRequest implements Node {
  id: ID!
  number: Int!
  title: String!
  isDraft: Boolean!
}

type Mutation {
  markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
  convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
}

input MarkPullRequestReadyForReviewInput { pullRequestId: ID! clientMutationId: String }
type MarkPullRequestReadyForReviewPayload { pullRequest: PullRequest clientMutationId: String }
input ConvertPullRequestToDraftInput { pullRequestId: ID! clientMutationId: String }
type ConvertPullRequestToDraftPayload { pullRequest: PullRequest clientMutationId: String }
`);

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
  reviewThreads(first: Int, last: Int, after: String, before: String): PullRequestReviewThreadConnection!
}

type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
enum DiffSide { LEFT RIGHT }
enum PullRequestReviewThreadSubjectType { LINE FILE }
scalar BigInt
scalar GitObjectID
scalar URI

type PullRequestReviewThreadConnection {
  totalCount: Int!
  pageInfo: PageInfo!
  nodes: [PullRequestReviewThread]
  edges: [PullRequestReviewThreadEdge]
}
type PullRequestReviewThreadEdge { cursor: String! node: PullRequestReviewThread }

type PullRequestReviewThread implements Node {
  id: ID!
  isResolved: Boolean!
  isOutdated: Boolean!
  isCollapsed: Boolean!
  resolvedBy: User
  path: String!
  line: Int
  originalLine: Int
  startLine: Int
  originalStartLine: Int
  diffSide: DiffSide!
  startDiffSide: DiffSide
  subjectType: PullRequestReviewThreadSubjectType!
  pullRequest: PullRequest!
  comments(first: Int, last: Int, after: String, before: String): PullRequestReviewCommentConnection!
}

type PullRequestReviewCommentConnection {
  totalCount: Int!
  pageInfo: PageInfo!
  nodes: [PullRequestReviewComment]
  edges: [PullRequestReviewCommentEdge]
}
type PullRequestReviewCommentEdge { cursor: String! node: PullRequestReviewComment }

type Commit { oid: GitObjectID! }
type PullRequestReview { id: ID! databaseId: Int }

type PullRequestReviewComment implements Node {
  id: ID!
  databaseId: Int
  fullDatabaseId: BigInt
  author: Actor
  body: String!
  path: String!
  line: Int
  originalLine: Int
  startLine: Int
  originalStartLine: Int
  diffHunk: String!
  outdated: Boolean!
  commit: Commit
  originalCommit: Commit
  replyTo: PullRequestReviewComment
  pullRequestReview: PullRequestReview
  createdAt: DateTime!
  updatedAt: DateTime!
  url: URI!
}

type Mutation {
  markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
  convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
  unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
}

input MarkPullRequestReadyForReviewInput { pullRequestId: ID! clientMutationId: String }
type MarkPullRequestReadyForReviewPayload { pullRequest: PullRequest clientMutationId: String }
input ConvertPullRequestToDraftInput { pullRequestId: ID! clientMutationId: String }
type ConvertPullRequestToDraftPayload { pullRequest: PullRequest clientMutationId: String }
input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
input UnresolveReviewThreadInput { threadId: ID! clientMutationId: String }
type UnresolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
`);

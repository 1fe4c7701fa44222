// The part of GitHub's GraphQL schema that the local GitHub knows, with GitHub's names and types.
import { buildSchema } from 'graphql';
import { GH_SCHEMA } from './gh-schema.ts';

export const SCHEMA = buildSchema(`${GH_SCHEMA}
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
  databaseId: Int
  pullRequests(
    states: [PullRequestState!]
    baseRefName: String
    headRefName: String
    orderBy: IssueOrder
    first: Int
    last: Int
    after: String
    before: String
  ): PullRequestConnection!
  issues(filterBy: IssueFilters states: [IssueState!] orderBy: IssueOrder first: Int last: Int after: String before: String): IssueConnection!
  refs(refPrefix: String! query: String first: Int last: Int after: String before: String): RefConnection
  defaultBranchRef: Ref
  suggestedActors(
    capabilities: [RepositorySuggestedActorFilter!]!
    query: String
    first: Int
    last: Int
    after: String
    before: String
  ): ActorConnection!
}

enum RepositorySuggestedActorFilter { CAN_BE_ASSIGNED CAN_BE_AUTHOR }
type ActorConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Actor] }

enum IssueState { OPEN CLOSED }
enum PullRequestState { OPEN CLOSED MERGED }
enum IssueOrderField { COMMENTS CREATED_AT UPDATED_AT }
enum OrderDirection { ASC DESC }
input IssueOrder { field: IssueOrderField! direction: OrderDirection! }

type IssueConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Issue] }
type PullRequestConnection { totalCount: Int! pageInfo: PageInfo! nodes: [PullRequest] }
type PullRequestChangedFileConnection { totalCount: Int! pageInfo: PageInfo! nodes: [PullRequestChangedFile] }
type PullRequestChangedFile { path: String! additions: Int! deletions: Int! }

type Ref implements Node { id: ID! name: String! prefix: String! target: GitObject }
type RefConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Ref] }
interface GitObject { oid: GitObjectID! }

type Issue implements Node {
  id: ID!
  number: Int!
  title: String!
  createdAt: DateTime!
  lastEditedAt: DateTime
  editor: Actor
  closedByPullRequestsReferences(
    includeClosedPrs: Boolean = false
    first: Int
    last: Int
    after: String
    before: String
  ): PullRequestConnection
  timelineItems(
    itemTypes: [IssueTimelineItemsItemType!]
    first: Int
    last: Int
    after: String
    before: String
  ): IssueTimelineItemsConnection!
}

enum IssueTimelineItemsItemType {
  CROSS_REFERENCED_EVENT
  CLOSED_EVENT
  REOPENED_EVENT
  RENAMED_TITLE_EVENT
  PARENT_ISSUE_ADDED_EVENT
}
union IssueTimelineItems =
  | CrossReferencedEvent
  | ClosedEvent
  | ReopenedEvent
  | RenamedTitleEvent
  | ParentIssueAddedEvent
type IssueTimelineItemsConnection { totalCount: Int! pageInfo: PageInfo! nodes: [IssueTimelineItems] }
union ReferencedSubject = Issue | PullRequest
type CrossReferencedEvent {
  actor: Actor
  createdAt: DateTime!
  isCrossRepository: Boolean!
  source: ReferencedSubject!
  willCloseTarget: Boolean!
}
type ClosedEvent { actor: Actor createdAt: DateTime! }
type RenamedTitleEvent { actor: Actor createdAt: DateTime! }
type ReopenedEvent { actor: Actor createdAt: DateTime! }
type ParentIssueAddedEvent { actor: Actor createdAt: DateTime! }

type PullRequest implements Node {
  id: ID!
  number: Int!
  title: String!
  state: PullRequestState!
  isDraft: Boolean!
  isCrossRepository: Boolean!
  headRefName: String!
  headRefOid: GitObjectID!
  baseRefName: String!
  mergeCommit: Commit
  closingIssuesReferences(first: Int, last: Int, after: String, before: String): IssueConnection
  createdAt: DateTime!
  mergedAt: DateTime
  repository: Repository!
  files(first: Int, last: Int, after: String, before: String): PullRequestChangedFileConnection
  reviewThreads(first: Int, last: Int, after: String, before: String): PullRequestReviewThreadConnection!
}

type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
enum DiffSide { LEFT RIGHT }
enum PullRequestReviewThreadSubjectType { LINE FILE }
scalar BigInt
scalar GitObjectID
scalar GitRefname
scalar GitTimestamp
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

type Commit implements GitObject {
  oid: GitObjectID!
  message: String!
  messageHeadline: String!
  committedDate: DateTime!
  parents(first: Int, last: Int, after: String, before: String): CommitConnection!
  history(since: GitTimestamp, first: Int, last: Int, after: String, before: String): CommitHistoryConnection!
}
type CommitConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Commit] }
type CommitHistoryConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Commit] }
enum ReactionContent { THUMBS_UP THUMBS_DOWN LAUGH HOORAY CONFUSED HEART ROCKET EYES }
type Reaction implements Node { id: ID! databaseId: Int content: ReactionContent! createdAt: DateTime! user: User }
type ReactionConnection { totalCount: Int! pageInfo: PageInfo! nodes: [Reaction] }
interface Reactable {
  id: ID!
  databaseId: Int
  reactions(
    content: ReactionContent
    first: Int
    last: Int
    after: String
    before: String
  ): ReactionConnection!
}

type PullRequestReview implements Node & Reactable {
  id: ID!
  databaseId: Int
  reactions(
    content: ReactionContent
    first: Int
    last: Int
    after: String
    before: String
  ): ReactionConnection!
}

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
  addReaction(input: AddReactionInput!): AddReactionPayload
  removeReaction(input: RemoveReactionInput!): RemoveReactionPayload
  markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): MarkPullRequestReadyForReviewPayload
  convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): ConvertPullRequestToDraftPayload
  resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
  unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
  updateRefs(input: UpdateRefsInput!): UpdateRefsPayload
}

input UpdateRefsInput { repositoryId: ID! refUpdates: [RefUpdate!]! clientMutationId: String }
input RefUpdate { name: GitRefname! beforeOid: GitObjectID afterOid: GitObjectID! force: Boolean = false }
type UpdateRefsPayload { clientMutationId: String }

input AddReactionInput { subjectId: ID! content: ReactionContent! clientMutationId: String }
type AddReactionPayload { reaction: Reaction subject: Reactable clientMutationId: String }
input RemoveReactionInput { subjectId: ID! content: ReactionContent! clientMutationId: String }
type RemoveReactionPayload { reaction: Reaction subject: Reactable clientMutationId: String }
input MarkPullRequestReadyForReviewInput { pullRequestId: ID! clientMutationId: String }
type MarkPullRequestReadyForReviewPayload { pullRequest: PullRequest clientMutationId: String }
input ConvertPullRequestToDraftInput { pullRequestId: ID! clientMutationId: String }
type ConvertPullRequestToDraftPayload { pullRequest: PullRequest clientMutationId: String }
input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
input UnresolveReviewThreadInput { threadId: ID! clientMutationId: String }
type UnresolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
`);

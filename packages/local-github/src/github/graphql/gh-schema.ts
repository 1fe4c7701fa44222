// What GitHub's own command line asks for beyond what the service sends: names and types as in GitHub's public schema
// (npm, @octokit/graphql-schema). An addition to `schema.ts`, and only as much as its commands for issues, labels and pull
// requests need.

const PAGING = 'first: Int, last: Int, after: String, before: String';
const LABEL_ORDER = '{ field: CREATED_AT, direction: ASC }';

const connectionTo = (type: string, name = `${type}Connection`): string =>
  `type ${name} { totalCount: Int! pageInfo: PageInfo! nodes: [${type}] }`;

const TEXT = `
  url: URI!
  author: Actor
  body: String!
  closed: Boolean!
  updatedAt: DateTime!
  assignees(${PAGING}): UserConnection!
  labels(orderBy: LabelOrder = ${LABEL_ORDER}, ${PAGING}): LabelConnection
  comments(${PAGING}): IssueCommentConnection!
  milestone: Milestone
  projectCards(${PAGING}): ProjectCardConnection!
  reactionGroups: [ReactionGroup!]
`;

const REPOSITORIES = `
enum RepositoryPermission { ADMIN MAINTAIN READ TRIAGE WRITE }
interface RepositoryOwner { id: ID! login: String! }
extend type User implements RepositoryOwner { name: String }
extend type Organization implements RepositoryOwner { name: String }
extend type Query { viewer: User! user(login: String!): User }
extend type Repository {
  owner: RepositoryOwner!
  description: String
  parent: Repository
  viewerPermission: RepositoryPermission
  hasIssuesEnabled: Boolean!
  hasWikiEnabled: Boolean!
  mergeCommitAllowed: Boolean!
  rebaseMergeAllowed: Boolean!
  squashMergeAllowed: Boolean!
  autoMergeAllowed: Boolean!
  labels(query: String, orderBy: LabelOrder = ${LABEL_ORDER}, ${PAGING}): LabelConnection
  label(name: String!): Label
  assignableUsers(query: String, ${PAGING}): UserConnection!
  issueOrPullRequest(number: Int!): IssueOrPullRequest
}
union IssueOrPullRequest = Issue | PullRequest
${connectionTo('User')}
${connectionTo('Label')}
type Label implements Node { id: ID! name: String! color: String! description: String }
enum LabelOrderField { CREATED_AT NAME }
input LabelOrder { field: LabelOrderField! direction: OrderDirection! }
`;

const ISSUES = `
enum IssueStateReason { COMPLETED DUPLICATE NOT_PLANNED REOPENED }
enum IssueClosedStateReason { COMPLETED DUPLICATE NOT_PLANNED }
interface Labelable { labels(orderBy: LabelOrder = ${LABEL_ORDER}, ${PAGING}): LabelConnection }
input IssueFilters { assignee: String createdBy: String mentioned: String }
extend type Issue implements Labelable { ${TEXT} state: IssueState! stateReason: IssueStateReason }
enum CommentAuthorAssociation {
  COLLABORATOR CONTRIBUTOR FIRST_TIMER FIRST_TIME_CONTRIBUTOR MANNEQUIN MEMBER NONE OWNER
}
type IssueComment implements Node {
  id: ID!
  url: URI!
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  createdAt: DateTime!
  editor: Actor
  includesCreatedEdit: Boolean!
  isMinimized: Boolean!
  minimizedReason: String
  viewerDidAuthor: Boolean!
  reactionGroups: [ReactionGroup!]
}
type IssueCommentEdge { cursor: String! node: IssueComment }
${connectionTo('IssueComment')}
type ReactionGroup { content: ReactionContent! users(${PAGING}): ReactingUserConnection! }
${connectionTo('User', 'ReactingUserConnection')}
type Milestone implements Node { id: ID! number: Int! title: String! description: String dueOn: DateTime }
type Project implements Node { id: ID! name: String! }
type ProjectColumn implements Node { id: ID! name: String! }
type ProjectCard implements Node { id: ID! project: Project! column: ProjectColumn }
${connectionTo('ProjectCard')}
`;

const PULLS = `
enum MergeableState { CONFLICTING MERGEABLE UNKNOWN }
enum MergeStateStatus { BEHIND BLOCKED CLEAN DIRTY DRAFT HAS_HOOKS UNKNOWN UNSTABLE }
extend type PullRequest implements Labelable {
  ${TEXT}
  additions: Int!
  deletions: Int!
  maintainerCanModify: Boolean!
  mergeable: MergeableState!
  mergeStateStatus: MergeStateStatus!
  isMergeQueueEnabled: Boolean!
  isInMergeQueue: Boolean!
  autoMergeRequest: AutoMergeRequest
  headRepository: Repository
  headRepositoryOwner: RepositoryOwner
  commits(${PAGING}): PullRequestCommitConnection!
  reviewRequests(${PAGING}): ReviewRequestConnection
  reviews(${PAGING}): PullRequestReviewConnection
}
type AutoMergeRequest { enabledBy: Actor mergeMethod: PullRequestMergeMethod! }
type MergeQueueEntry implements Node { id: ID! pullRequest: PullRequest }
type PullRequestCommit { commit: Commit! }
${connectionTo('PullRequestCommit')}
type Team implements Node { id: ID! name: String! slug: String! organization: Organization! }
union RequestedReviewer = Bot | Team | User
type ReviewRequest { requestedReviewer: RequestedReviewer }
${connectionTo('ReviewRequest')}
enum PullRequestReviewState { APPROVED CHANGES_REQUESTED COMMENTED DISMISSED PENDING }
${connectionTo('PullRequestReview')}
extend type PullRequestReview {
  author: Actor
  authorAssociation: CommentAuthorAssociation!
  body: String!
  state: PullRequestReviewState!
  submittedAt: DateTime
  commit: Commit
  reactionGroups: [ReactionGroup!]
}
`;

const CHECKS = `
enum CheckStatusState { COMPLETED IN_PROGRESS PENDING QUEUED REQUESTED WAITING }
enum CheckConclusionState {
  ACTION_REQUIRED CANCELLED FAILURE NEUTRAL SKIPPED STALE STARTUP_FAILURE SUCCESS TIMED_OUT
}
enum StatusState { ERROR EXPECTED FAILURE PENDING SUCCESS }
extend type Commit { statusCheckRollup: StatusCheckRollup }
type StatusCheckRollup { contexts(${PAGING}): StatusCheckRollupContextConnection! }
union StatusCheckRollupContext = CheckRun | StatusContext
${connectionTo('StatusCheckRollupContext')}
type StatusContext { context: String! state: StatusState! targetUrl: URI createdAt: DateTime! }
type CheckRun {
  name: String!
  status: CheckStatusState!
  conclusion: CheckConclusionState
  startedAt: DateTime
  completedAt: DateTime
  detailsUrl: URI
  checkSuite: CheckSuite!
}
type CheckSuite { workflowRun: WorkflowRun }
type WorkflowRun { workflow: Workflow! }
type Workflow { name: String! }
`;

const ON_PULL = 'pullRequestId: ID! expectedHeadOid: GitObjectID';

/** Each mutation with the fields of its input and of its payload. */
const MUTATIONS = [
  [
    'createIssue',
    'repositoryId: ID! title: String! body: String labelIds: [ID!] assigneeIds: [ID!] projectIds: [ID!] milestoneId: ID',
    'issue: Issue',
  ],
  [
    'updateIssue',
    'id: ID! title: String body: String assigneeIds: [ID!] projectIds: [ID!] milestoneId: ID',
    'issue: Issue',
  ],
  ['closeIssue', 'issueId: ID! stateReason: IssueClosedStateReason', 'issue: Issue'],
  ['addComment', 'subjectId: ID! body: String!', 'commentEdge: IssueCommentEdge subject: Node'],
  ['addLabelsToLabelable', 'labelableId: ID! labelIds: [ID!]!', 'labelable: Labelable'],
  ['removeLabelsFromLabelable', 'labelableId: ID! labelIds: [ID!]!', 'labelable: Labelable'],
  [
    'createPullRequest',
    'repositoryId: ID! baseRefName: String! headRefName: String! title: String! body: String draft: Boolean = false maintainerCanModify: Boolean = true',
    'pullRequest: PullRequest',
  ],
  [
    'addPullRequestReview',
    'pullRequestId: ID! event: PullRequestReviewEvent body: String commitOID: GitObjectID',
    'pullRequestReview: PullRequestReview',
  ],
  [
    'mergePullRequest',
    'pullRequestId: ID! mergeMethod: PullRequestMergeMethod = MERGE commitHeadline: String commitBody: String expectedHeadOid: GitObjectID',
    'pullRequest: PullRequest',
  ],
  [
    'enablePullRequestAutoMerge',
    `${ON_PULL} mergeMethod: PullRequestMergeMethod = MERGE authorEmail: String commitHeadline: String commitBody: String`,
    'actor: Actor pullRequest: PullRequest',
  ],
  ['disablePullRequestAutoMerge', 'pullRequestId: ID!', 'actor: Actor pullRequest: PullRequest'],
  ['enqueuePullRequest', `${ON_PULL} jump: Boolean`, 'mergeQueueEntry: MergeQueueEntry'],
  ['dequeuePullRequest', 'id: ID!', 'mergeQueueEntry: MergeQueueEntry'],
] as const;

const mutation = ([name, input, payload]: (typeof MUTATIONS)[number]): string => {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  return `
input ${type}Input { ${input} clientMutationId: String }
type ${type}Payload { ${payload} clientMutationId: String }
extend type Mutation { ${name}(input: ${type}Input!): ${type}Payload }
`;
};

export const GH_SCHEMA = `
${REPOSITORIES}${ISSUES}${PULLS}${CHECKS}
enum PullRequestReviewEvent { APPROVE COMMENT DISMISS REQUEST_CHANGES }
enum PullRequestMergeMethod { MERGE REBASE SQUASH }
${MUTATIONS.map(mutation).join('')}`;

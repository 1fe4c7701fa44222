// The mutations of GitHub's own command line: the same actions as by REST, with the same permissions (rule
// `graphql-permissions-of-rest`).
import { assign, unassign } from '../actions/assignees.ts';
import { enableAutoMerge, enqueue } from '../actions/auto-merge.ts';
import { addComment } from '../actions/comments.ts';
import { changeIssue, openIssue } from '../actions/issues.ts';
import { addLabels, removeLabel } from '../actions/labels.ts';
import { cancelMerge, mergePull, openPull } from '../actions/pulls.ts';
import { submitReview, type NewReview } from '../actions/reviews.ts';
import { GitHubError } from '../github-error.ts';
import { hasRole } from '../rest/access.ts';
import { checkMayMerge } from '../rest/pulls.ts';
import type { RestRequest } from '../rest/route.ts';
import { nodeId, type Issue, type Role } from '../state.ts';
import { issueCommentNode } from './details.ts';
import {
  admitTo,
  admitToChange,
  findRepositoryById,
  findTextById,
  labelNames,
  usersOf,
} from './gh-subjects.ts';
import { findPullById, textNode } from './nodes.ts';
import { reviewNode } from './reactions.ts';
import { actorNode } from './review-threads.ts';

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string | null };
}
type Text = string | null;

interface CreateIssue {
  readonly repositoryId: string;
  readonly title: string;
  readonly body?: Text;
  readonly labelIds?: readonly string[] | null;
  readonly assigneeIds?: readonly string[] | null;
}
interface UpdateIssue {
  readonly id: string;
  readonly title?: Text;
  readonly body?: Text;
  readonly assigneeIds?: readonly string[] | null;
}
interface CloseIssue {
  readonly issueId: string;
  readonly stateReason?: 'COMPLETED' | 'DUPLICATE' | 'NOT_PLANNED' | null;
}
interface ChangeLabels {
  readonly labelableId: string;
  readonly labelIds: readonly string[];
}
interface CreatePull {
  readonly repositoryId: string;
  readonly baseRefName: string;
  readonly headRefName: string;
  readonly title: string;
  readonly body?: Text;
  readonly draft?: boolean | null;
  readonly maintainerCanModify?: boolean | null;
}
interface AddReview {
  readonly pullRequestId: string;
  readonly event?: NewReview['event'] | null;
  readonly body?: Text;
  readonly commitOID?: Text;
}
interface MergePull {
  readonly pullRequestId: string;
  readonly mergeMethod?: 'MERGE' | 'SQUASH' | 'REBASE' | null;
  readonly commitHeadline?: Text;
  readonly commitBody?: Text;
  readonly expectedHeadOid?: Text;
}

const issueMutations = (request: RestRequest) => ({
  createIssue: ({ input }: Input<CreateIssue>) => {
    const { services } = request;
    const repository = findRepositoryById(request, input.repositoryId);
    const user = admitToChange(request, repository, 'issues:write', 'read');
    // As by REST, GitHub drops what the caller may not say.
    const mayTriage = user.type === 'Bot' || hasRole(repository, user, 'triage');
    const labels = mayTriage ? labelNames(repository, input.labelIds ?? []) : [];
    const { title, body } = input;
    const issue = openIssue(services, repository, user, { title, body, labels });
    const assignees = mayTriage ? usersOf(request, input.assigneeIds ?? []) : [];
    assign(services, repository, user, issue, assignees);
    return { ...echo(input), issue: textNode(request, repository, issue) };
  },
  updateIssue: async ({ input }: Input<UpdateIssue>) => {
    const { services } = request;
    const { repository, issue } = findTextById(request, input.id);
    const user = admitTo(request, repository, issue, roleToEdit(request, issue));
    await changeIssue(services, repository, user, issue, {
      title: input.title ?? undefined,
      body: input.body ?? undefined,
    });
    if (input.assigneeIds) {
      admitTo(request, repository, issue, 'triage');
      const wanted = usersOf(request, input.assigneeIds);
      const others = issue.assignees.filter((one) => !wanted.includes(one));
      unassign(services, repository, user, issue, others);
      assign(services, repository, user, issue, wanted);
    }
    return { ...echo(input), issue: textNode(request, repository, issue) };
  },
  closeIssue: async ({ input }: Input<CloseIssue>) => {
    const { repository, issue } = findTextById(request, input.issueId);
    const user = admitTo(request, repository, issue, roleToEdit(request, issue));
    const stateReason = input.stateReason === 'COMPLETED' ? 'completed' : 'not_planned';
    await changeIssue(request.services, repository, user, issue, {
      state: 'closed',
      ...(input.stateReason ? { stateReason } : {}),
    });
    return { ...echo(input), issue: textNode(request, repository, issue) };
  },
});

const commentMutations = (request: RestRequest) => ({
  addComment: ({ input }: Input<{ readonly subjectId: string; readonly body: string }>) => {
    const { repository, issue } = findTextById(request, input.subjectId);
    const user = admitTo(request, repository, issue, 'read');
    const isViaApp = request.actor.kind === 'user' && request.actor.isViaApp;
    const text = { body: input.body, isViaApp };
    const comment = addComment(request.services, repository, user, issue, text);
    const node = issueCommentNode(request, repository, issue, comment);
    const subject = textNode(request, repository, issue);
    return { ...echo(input), subject, commentEdge: { cursor: node.id, node } };
  },
});

const labelMutations = (request: RestRequest) => {
  const change =
    (isAdded: boolean) =>
    ({ input }: Input<ChangeLabels>) => {
      const { repository, issue } = findTextById(request, input.labelableId);
      const user = admitTo(request, repository, issue, 'triage');
      const names = labelNames(repository, input.labelIds);
      if (isAdded) addLabels(request.services, repository, user, issue, names);
      else for (const name of names) removeLabel(request.services, repository, user, issue, name);
      return { ...echo(input), labelable: textNode(request, repository, issue) };
    };
  return { addLabelsToLabelable: change(true), removeLabelsFromLabelable: change(false) };
};

/** An author may edit and close what is theirs. */
const roleToEdit = ({ actor }: RestRequest, issue: Issue): Role =>
  actor.kind === 'user' && actor.user.id === issue.author.id ? 'read' : 'triage';

const echo = ({ clientMutationId = null }: { readonly clientMutationId?: string | null }) => ({
  clientMutationId,
});

const pullMutations = (request: RestRequest) => ({
  createPullRequest: ({ input }: Input<CreatePull>) => {
    const { services } = request;
    const repository = findRepositoryById(request, input.repositoryId);
    const { headRefName: head, baseRefName: base, title, body } = input;
    const isOwn = 'user' in request.actor && head.startsWith(`${request.actor.user.login}:`);
    const role = isOwn ? 'read' : 'write';
    const user = admitToChange(request, repository, 'pull_requests:write', role);
    return services.world.exclusively(repository, async () => {
      const pull = await openPull(services, repository, user, {
        head,
        base,
        title,
        body,
        draft: input.draft ?? undefined,
        maintainerCanModify: input.maintainerCanModify ?? undefined,
      });
      return { ...echo(input), pullRequest: textNode(request, repository, pull) };
    });
  },
  addPullRequestReview: async ({ input }: Input<AddReview>) => {
    const { repository, pull } = findPullById(request, input.pullRequestId);
    const user = admitToChange(request, repository, 'pull_requests:write', 'read');
    if (!input.event)
      throw new GitHubError('own', 422, 'The local GitHub has no pending reviews: name an event.');
    const review = await submitReview(request.services, repository, user, pull, {
      event: input.event,
      body: input.body ?? undefined,
      commitSha: input.commitOID ?? undefined,
    });
    return { ...echo(input), pullRequestReview: reviewNode(review, repository) };
  },
  mergePullRequest: ({ input }: Input<MergePull>) => {
    const { services } = request;
    const { repository, pull } = findPullById(request, input.pullRequestId);
    const user = admitToChange(request, repository, 'contents:write', 'write');
    if (input.mergeMethod === 'REBASE')
      throw new GitHubError('own', 422, 'The local GitHub merges nothing by rebase.');
    return services.world.exclusively(repository, async () => {
      await checkMayMerge({ ...request, repository, user }, pull);
      await mergePull(services, repository, user, pull, {
        title: input.commitHeadline ?? undefined,
        message: input.commitBody ?? undefined,
        sha: input.expectedHeadOid ?? undefined,
        method: input.mergeMethod === 'SQUASH' ? 'squash' : 'merge',
      });
      return { ...echo(input), pullRequest: textNode(request, repository, pull) };
    });
  },
});

interface AutoMergePull {
  readonly pullRequestId: string;
  readonly mergeMethod: 'MERGE' | 'SQUASH' | 'REBASE';
  readonly expectedHeadOid?: Text;
}

type ChangeMerge = (...of: Parameters<typeof cancelMerge>) => Promise<void> | void;

/** GitHub documents no permission: `access/permissions.ts` has who saw them (rule `auto-merge-permissions`). */
function changeMerge(request: RestRequest, id: string, act: ChangeMerge) {
  const { services } = request;
  const { repository, pull } = findPullById(request, id);
  admitToChange(request, repository, 'pull_requests:write', 'write');
  const user = admitToChange(request, repository, 'contents:write', 'write');
  return services.world.exclusively(repository, async () => {
    await act(services, repository, user, pull, 'MANUAL');
    const pullRequest = () => textNode(request, repository, pull);
    return {
      actor: actorNode(user),
      pullRequest,
      mergeQueueEntry: { id: nodeId('MQE', pull.pull.id), pullRequest },
    };
  });
}

const autoMergeMutations = (request: RestRequest) => ({
  enablePullRequestAutoMerge: async ({ input }: Input<AutoMergePull>) => {
    const { pullRequestId, mergeMethod: method, expectedHeadOid: head } = input;
    const enable: ChangeMerge = (hub, repository, user, pull) =>
      enableAutoMerge(hub, repository, user, pull, { method, expectedHead: head ?? undefined });
    return { ...echo(input), ...(await changeMerge(request, pullRequestId, enable)) };
  },
  disablePullRequestAutoMerge: async ({ input }: Input<Pick<AutoMergePull, 'pullRequestId'>>) => ({
    ...echo(input),
    ...(await changeMerge(request, input.pullRequestId, cancelMerge)),
  }),
  enqueuePullRequest: async ({ input }: Input<Omit<AutoMergePull, 'mergeMethod'>>) => {
    const { pullRequestId, expectedHeadOid: head } = input;
    const add: ChangeMerge = (hub, repository, user, pull) =>
      enqueue(hub, repository, user, pull, { expectedHead: head ?? undefined });
    return { ...echo(input), ...(await changeMerge(request, pullRequestId, add)) };
  },
  dequeuePullRequest: async ({ input }: Input<{ readonly id: string }>) => ({
    ...echo(input),
    ...(await changeMerge(request, input.id, cancelMerge)),
  }),
});

export const ghMutations = (request: RestRequest) => ({
  ...issueMutations(request),
  ...commentMutations(request),
  ...labelMutations(request),
  ...pullMutations(request),
  ...autoMergeMutations(request),
});

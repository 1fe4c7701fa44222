import { changeRef, NO_OBJECT } from '../actions/refs.ts';
import { setDraft } from '../actions/pulls.ts';
import { setResolved } from '../actions/review-threads.ts';
import { admit, callerOf } from '../rest/access.ts';
import type { RestRequest } from '../rest/route.ts';
import { ghMutations } from './gh-mutations.ts';
import { admitToChange, findRepositoryById } from './gh-subjects.ts';
import { reactionMutations } from './reactions.ts';
import { findPullById, findThreadById, placedThread, pullNode } from './nodes.ts';

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string | null };
}

interface RefUpdates {
  readonly repositoryId: string;
  readonly refUpdates: readonly {
    readonly name: string;
    readonly beforeOid?: string | null;
    readonly afterOid: string;
    readonly force?: boolean | null;
  }[];
}

const refMutations = (request: RestRequest) => ({
  updateRefs: async ({ input }: Input<RefUpdates>) => {
    const { services } = request;
    const repository = findRepositoryById(request, input.repositoryId);
    const user = admitToChange(request, repository, 'contents:write', 'write');
    const caller = callerOf({ ...request, repository, user });
    for (const { name: ref, beforeOid, afterOid, force } of input.refUpdates)
      await changeRef(services, repository, caller, {
        ref,
        sha: afterOid === NO_OBJECT ? undefined : afterOid,
        force: force === true,
        before: beforeOid ?? undefined,
      });
    return { clientMutationId: input.clientMutationId ?? null };
  },
});

export function mutationNode(request: RestRequest) {
  const changeDraft =
    (draft: boolean) =>
    ({ input }: Input<{ pullRequestId: string }>) => {
      const { services, actor } = request;
      const { repository, pull } = findPullById(request, input.pullRequestId);
      const user = admit(services.world, actor, repository, 'pull_requests:write', 'write');
      if (services.world.rules.holds('ready-for-review'))
        admit(services.world, actor, repository, 'contents:write', 'write');
      setDraft(services, repository, user, pull, draft);
      const { clientMutationId = null } = input;
      return { clientMutationId, pullRequest: pullNode(request, repository, pull) };
    };
  const changeThread =
    (resolved: boolean) =>
    async ({ input }: Input<{ threadId: string }>) => {
      const { services, actor } = request;
      const { repository, pull, thread } = findThreadById(request, input.threadId);
      const isAuthor = actor.kind === 'user' && actor.user.id === pull.author.id;
      const role = isAuthor ? 'read' : 'write';
      const user = admit(services.world, actor, repository, 'pull_requests:write', role);
      if (services.world.rules.holds('resolve-thread'))
        admit(services.world, actor, repository, 'contents:write', role);
      setResolved(services, repository, user, pull, thread, resolved);
      const { clientMutationId = null } = input;
      return { clientMutationId, thread: await placedThread(request, repository, pull, thread) };
    };
  return {
    ...ghMutations(request),
    ...reactionMutations(request),
    ...refMutations(request),
    resolveReviewThread: changeThread(true),
    unresolveReviewThread: changeThread(false),
    markPullRequestReadyForReview: changeDraft(false),
    convertPullRequestToDraft: changeDraft(true),
  };
}

import { setDraft } from '../actions/pulls.ts';
import { admit } from '../rest/access.ts';
import type { RestRequest } from '../rest/route.ts';
import { findPullById, pullNode } from './nodes.ts';

interface Input<T> {
  readonly input: T & { readonly clientMutationId?: string | null };
}

export function mutationNode(request: RestRequest) {
  const changeDraft =
    (draft: boolean) =>
    ({ input }: Input<{ pullRequestId: string }>) => {
      const { services, actor } = request;
      const { repository, pull } = findPullById(request, input.pullRequestId);
      const user = admit(services.world, actor, repository, 'pull_requests:write', 'write');
      setDraft(services, repository, user, pull, draft);
      const { clientMutationId = null } = input;
      return { clientMutationId, pullRequest: pullNode(request, repository, pull) };
    };
  return {
    markPullRequestReadyForReview: changeDraft(false),
    convertPullRequestToDraft: changeDraft(true),
  };
}

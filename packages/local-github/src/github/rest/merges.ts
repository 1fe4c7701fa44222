import { z } from 'zod';
import { mergeInto } from '../actions/merges.ts';
import { announceMoves } from '../actions/pulls.ts';
import { commitFacts } from '../git/pull.ts';
import { GitHubError } from '../github-error.ts';
import { commitPayload } from '../payloads/pull.ts';
import { callerOf } from './access.ts';
import { resolveRef } from './history.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, noContent, parseBody } from './route.ts';

const MergeBody = z.object({
  base: z.string(),
  head: z.string(),
  commit_message: z.string().optional(),
});

function merge(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const { base, head, commit_message: words } = parseBody(MergeBody, request.body);
  return services.world.exclusively(repository, async () => {
    const before = await repository.git.branches();
    const [baseSha, headSha] = [before.get(base), await resolveRef(repository, head)];
    if (baseSha === undefined)
      throw new GitHubError('merge-of-branches', 404, 'Base does not exist');
    if (headSha === undefined)
      throw new GitHubError('merge-of-branches', 404, 'Head does not exist');
    if (await repository.git.isAncestor(headSha, baseSha)) return noContent;
    const message = words ?? `Merge ${head} into ${base}`;
    const sha = await mergeInto(services, repository, user, base, headSha, {
      message,
      caller: callerOf(request),
    });
    if (sha === undefined) throw new GitHubError('merge-of-branches', 409, 'Merge conflict');
    await announceMoves(services, repository, user, before);
    const facts = await commitFacts(repository, sha);
    return created(facts && commitPayload(services.world, repository, facts));
  });
}

export const mergeRoutes: readonly RepositoryRoute[] = [
  { method: 'POST', path: '/merges', permission: 'contents:write', role: 'write', handle: merge },
];

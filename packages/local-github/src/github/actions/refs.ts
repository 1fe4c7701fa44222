// Changes of branches and tags through the API.
import { GitFailed } from '../git/git.ts';
import { GitHubError, notAccessible } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import type { Caller } from '../rules/changes.ts';
import { orderedDenial } from '../git/pre-receive.ts';
import { enforceRules } from '../rules/enforce.ts';
import type { Repository } from '../state.ts';
import { announceMoves } from './pulls.ts';

export interface RefChange {
  /** In full: `refs/heads/main`. */
  readonly ref: string;
  /** The object that it names from now on; undefined deletes it. */
  readonly sha: string | undefined;
  /** Allows a branch to lose commits. */
  readonly force: boolean;
  /** Where it has to be; anywhere if missing. All zeros: it must not exist. */
  readonly before?: string | undefined;
  /** Deleted with the button of a page, after which pull requests to it go elsewhere. */
  readonly isByPage?: boolean;
  /** The status if rules do not allow it; 422 by default. */
  readonly ruleStatus?: number;
}

/** Creates, moves or deletes a ref, and sends the events for it. Throws GitHub's 422 if it cannot. */
export function changeRef(
  hub: Hub,
  repository: Repository,
  caller: Caller,
  change: RefChange,
): Promise<void> {
  return hub.world.exclusively(repository, async () => {
    const before = await repository.git.branches();
    await applyChange(hub, repository, caller, change);
    await announceMoves(hub, repository, caller.user, before, change.isByPage);
  });
}

/** For a ref that is not there. */
export const NO_OBJECT = '0'.repeat(40);

async function applyChange(
  hub: Hub,
  repository: Repository,
  caller: Caller,
  { ref, sha, force, before, ruleStatus }: RefChange,
): Promise<void> {
  const { git } = repository;
  const ordered = await orderedDenial(git.directory);
  if (ordered !== undefined) throw new GitHubError('own', ruleStatus ?? 422, ordered);
  const known = (await git.refs(ref)).find(({ name }) => name === ref);
  if (before !== undefined && before !== (known?.sha ?? NO_OBJECT))
    throw new GitHubError('update-refs', 422, `Reference ${ref} is not at ${before}`);
  if (sha === undefined) {
    if (known === undefined)
      throw new GitHubError('ref-does-not-exist', 422, 'Reference does not exist');
    await enforceRules(
      hub.world,
      repository,
      caller,
      { ref, before: known.sha, after: sha },
      { status: ruleStatus },
    );
    return git.deleteRef(ref);
  }
  const object = (await git.objects([sha])).get(sha);
  if (object === undefined)
    throw new GitHubError('ref-names-an-object', 422, 'Object does not exist');
  const isBranch = ref.startsWith('refs/heads/');
  if (isBranch && object.type !== 'commit')
    throw new GitHubError('ref-names-an-object', 422, 'Object is not a commit');
  if (known !== undefined && isBranch && !force && !(await git.isAncestor(known.sha, sha)))
    throw new GitHubError('fast-forward-by-default', 422, 'Update is not a fast forward');
  await enforceRules(
    hub.world,
    repository,
    caller,
    { ref, before: known?.sha, after: sha },
    { status: ruleStatus, refuse: refuseWithoutName },
  );
  try {
    await git.setRef(ref, sha, known?.sha);
  } catch (error) {
    if (error instanceof GitFailed)
      throw new GitHubError('ref-update-race', 422, 'Reference update failed');
    throw error;
  }
}

/** The answer names no file, and only its header names the permission: rule `workflow-files-by-ref`. */
const refuseWithoutName = (): GitHubError => notAccessible('contents:write,workflows=write');

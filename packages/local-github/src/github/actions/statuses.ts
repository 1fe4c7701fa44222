import type { CommitState, CommitStatus } from '../checks/state.ts';
import { checkFacts, requireCommit } from '../git/check-facts.ts';
import { invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { statusEventPayload } from '../payloads/status.ts';
import type { Repository, User } from '../state.ts';
import { timestamp } from '../state.ts';

const MAX_DESCRIPTION = 140;
/** The longest context (rule `status-limits`). */
const MAX_CONTEXT = 255;

export interface NewStatus {
  readonly state: CommitState;
  readonly context?: string | undefined;
  readonly description?: string | null | undefined;
  readonly target_url?: string | null | undefined;
}

export async function createStatus(
  { world, webhooks }: Hub,
  repository: Repository,
  creator: User,
  sha: string,
  wanted: NewStatus,
): Promise<CommitStatus> {
  const { state, context = 'default', description = null, target_url: targetUrl = null } = wanted;
  check('description', description ?? '', MAX_DESCRIPTION);
  check('context', context, MAX_CONTEXT);
  const facts = await checkFacts(repository, await requireCommit(repository, sha));
  const status: CommitStatus = {
    id: world.nextId(),
    sha: facts.commit.sha,
    state,
    context,
    description,
    targetUrl,
    creator,
    createdAt: timestamp(),
  };
  repository.checks.statuses.push(status);
  world.changed();
  const fields = statusEventPayload(world, repository, status, facts);
  webhooks.emit('status', repository, creator, fields);
  return status;
}

function check(field: string, text: string, max: number): void {
  if (text.length > max)
    throw invalid(
      'status-limits',
      'Status',
      `${field} is too long (maximum is ${max} characters)`,
      field,
    );
}

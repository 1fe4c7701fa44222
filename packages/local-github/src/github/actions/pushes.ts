// What follows from a push: check suites of Apps, and runs of workflows.
import type { Hub } from '../hub.ts';
import type { Repository, User } from '../state.ts';
import { webUrl } from '../payloads/repository.ts';
import { committer } from './committer.ts';
import { addSuite, checkContext, emitSuite } from './checks.ts';
import { nextScript, startWorkflow } from './workflows.ts';

export interface PushedBranch {
  readonly branch: string;
  /** `undefined`: the branch is new. */
  readonly before: string | undefined;
  readonly after: string;
}

const NOTHING = '0'.repeat(40);

export async function checkPush(
  hub: Hub,
  repository: Repository,
  actor: User,
  { branch, before = NOTHING, after }: PushedBranch,
): Promise<void> {
  emitPush(hub, repository, actor, { branch, before, after });
  const script = await nextScript(repository, after);
  const isForApp = mayCheck(hub, repository) && !hasSuite(hub, repository, after);
  if (!isForApp && script.length === 0) return;
  const context = await checkContext(hub, repository, actor, after);
  const push = { branch, before };
  if (isForApp) emitSuite(context, addSuite(context, hub.world.app, push), 'requested');
  for (const workflow of script) await startWorkflow(context, workflow, push);
}

/** Without its commits, which nothing here reads. */
function emitPush(
  { webhooks, world }: Hub,
  repository: Repository,
  actor: User,
  { branch, before, after }: { branch: string; before: string; after: string },
): void {
  const compare = `${before.slice(0, 12)}...${after.slice(0, 12)}`;
  webhooks.emit('push', repository, actor, {
    ref: `refs/heads/${branch}`,
    before,
    after,
    base_ref: null,
    created: before === NOTHING,
    deleted: false,
    forced: false,
    compare: `${webUrl(world, repository)}/compare/${compare}`,
    pusher: committer(actor),
    commits: [],
    head_commit: null,
  });
}

/** Every App with write access to checks gets a suite for each push (rule `check-suite-for-each-push`). */
function mayCheck({ world }: Hub, { installationId }: Repository): boolean {
  const installation = world.installations.get(installationId ?? -1);
  return installation?.permissions['checks'] === 'write' && installation.suspendedAt === null;
}

const hasSuite = ({ world }: Hub, { checks }: Repository, sha: string): boolean =>
  checks.suites.some((one) => one.headSha === sha && one.app.id === world.app.id);

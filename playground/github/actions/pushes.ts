// What follows from a push: check suites of Apps, and runs of workflows.
import type { Hub } from '../hub.ts';
import type { Repository, User } from '../state.ts';
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
  const script = await nextScript(repository, after);
  const isForApp = mayCheck(hub, repository) && !hasSuite(hub, repository, after);
  if (!isForApp && script.length === 0) return;
  const context = await checkContext(hub, repository, actor, after);
  const push = { branch, before };
  if (isForApp) emitSuite(context, addSuite(context, hub.world.app, push), 'requested');
  for (const workflow of script) await startWorkflow(context, workflow, push);
}

/** Every App with write access to checks gets a suite for each push. */
function mayCheck({ world }: Hub, { installationId }: Repository): boolean {
  const installation = world.installations.get(installationId ?? -1);
  return installation?.permissions['checks'] === 'write' && installation.suspendedAt === null;
}

const hasSuite = ({ world }: Hub, { checks }: Repository, sha: string): boolean =>
  checks.suites.some((one) => one.headSha === sha && one.app.id === world.app.id);

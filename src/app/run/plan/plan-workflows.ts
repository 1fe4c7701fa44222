import { WORKFLOW_PERMISSION } from '../../../github/access/permissions.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { PlanScope } from '../scope.ts';

interface Workflows {
  /** The agent may change them in its workspace. */
  readonly mayChange: boolean;
  /** Why not, although the settings say so. Markdown. */
  readonly warnings: readonly string[];
}

export const NO_WORKFLOWS: Workflows = { mayChange: false, warnings: [] };

export async function workflowsOf(
  { lacking }: Pick<PlanScope['github'], 'lacking'>,
  { workflows }: Pick<RepositorySettings, 'workflows'>,
): Promise<Workflows> {
  if (workflows === 'never') return NO_WORKFLOWS;
  const words = await lacking(WORKFLOW_PERMISSION);
  if (words === undefined) return { mayChange: true, warnings: [] };
  return { mayChange: false, warnings: [`\`workflows: ask\`: ${words}`] };
}

// Runs whose plan people agree to before anything is changed.
import { PLAN_LABEL } from '../../../session/github-names.ts';
import type { Session } from '../../../session/session.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { PlanScope } from '../../service/service.ts';

/** Decided when the work of a session begins; what people have agreed to is not asked again. */
export async function comesPlanFirst(
  { tracker }: Pick<PlanScope, 'tracker'>,
  settings: Pick<RepositorySettings, 'plan'>,
  labels: () => Promise<readonly string[]>,
): Promise<boolean> {
  const {
    waiting: { approval },
    thread: { folder },
  } = tracker.session;
  if (approval !== 'undecided') return approval === 'needed';
  if (settings.plan === 'ask') return true;
  if (folder !== undefined) return false;
  return (await labels()).includes(PLAN_LABEL);
}

/** While this holds, calls that change anything are not run. */
export const waitsForApproval = ({ waiting }: Session): boolean => waiting.approval === 'needed';

import type { Run } from '../../agent/run.ts';
import { PLAN_LABEL } from '../../session/labels.ts';
import type { RepositorySettings } from '../../session/settings/index.ts';
import type { RunContext } from '../service/service.ts';

/** Settled when the work of a session begins; what people have agreed to is not asked again. */
export async function comesPlanFirst(
  { tracker, github }: Pick<RunContext, 'tracker' | 'github'>,
  settings: Pick<RepositorySettings, 'plan'>,
): Promise<boolean> {
  const { approval, issue } = tracker.session;
  if (approval !== 'undecided') return approval === 'needed';
  if (settings.plan === 'ask') return true;
  return (await github.issueState(issue)).labels.includes(PLAN_LABEL);
}

type Notices = Run['notices'];

/** What the model is told of it, once in each run. */
export const planNotices =
  ({ tracker }: Pick<RunContext, 'tracker'>): Notices =>
  async () => {
    const { approval, run } = tracker.session;
    return approval === 'needed' ? [{ topic: `plan-first:${run?.number ?? 0}`, text: FIRST }] : [];
  };

/** Why a call is refused until then. */
export const heldUntilApproval =
  ({ tracker }: Pick<RunContext, 'tracker'>): (() => string | undefined) =>
  () =>
    tracker.session.approval === 'needed' ? HELD : undefined;

const FIRST =
  '(The plan comes first here: until people have agreed to it, you can look and ask, and nothing can be changed. Find out what is to be done, then call update_plan with all the steps, so that people can judge them; that ends this run. What they say comes as a message. Where they want something else, call update_plan again. Where nothing has to be done, or it cannot be done, call finish and say why.)';

const HELD =
  'was not run: nobody has agreed to the plan yet, and until then nothing is changed. Look around, then call update_plan with all the steps: people are asked to agree to it.';

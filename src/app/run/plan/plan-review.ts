import type { AgentLimits } from '../../../agent/limits.ts';
import { REVIEW_FILE } from '../../../session/settings/review.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { RunMode } from '../../../contracts/entries.ts';
import { TellPerson } from '../../../lib/errors.ts';
import { proposeSubIssues } from '../../../tools/flow/propose-sub-issues.ts';
import type { Operator } from '../../service/service.ts';
import type { ServersPlan } from './offered-tools.ts';

interface ReviewPlan {
  readonly servers: ServersPlan;
  readonly limits: AgentLimits;
  readonly instructionFiles: readonly string[];
}

interface PlannedKind extends Pick<ReviewPlan, 'limits' | 'instructionFiles'> {
  readonly isReview: boolean;
  readonly isSplit: boolean;
  /** The names of those that the settings give it. */
  readonly tools: ReadonlySet<string>;
}

/**
 * What is different in a run that reviews the pull request of someone else. Its author decides what the run reads, and nobody asked
 * in words for the use of MCP servers.
 */
const planReview = (
  { limits, instructionFiles }: Pick<ReviewPlan, 'limits' | 'instructionFiles'>,
  { review }: RepositorySettings,
): ReviewPlan => ({
  servers: { servers: [], isWanted: () => false },
  limits: { ...limits, dollars: { ...limits.dollars, reviewsDay: review.dollars } },
  instructionFiles: [...instructionFiles, REVIEW_FILE],
});

/** The operator's choice counts; without one, the repository chooses. */
export const modeOf = ({ mode }: RepositorySettings, operator: Operator): RunMode =>
  operator.mode === 'agent' ? mode : operator.mode;

/**
 * What is different in a run that proposes sub-issues: it has no MCP servers, as nothing but the repository is to be read.
 * @throws {TellPerson} if the settings give runs no tools, or turn it off
 */
function planSplit(
  { tools }: PlannedKind,
  settings: RepositorySettings,
  operator: Operator,
): Pick<ReviewPlan, 'servers'> {
  if (modeOf(settings, operator) === 'completion')
    throw new TellPerson(
      'I propose sub-issues after reading the code, which takes tools: `mode: completion` gives me none. Choose `mode: agent` for that.',
    );
  if (!tools.has(proposeSubIssues.name))
    throw new TellPerson(
      `I propose no sub-issues here: the setting \`tools: {${proposeSubIssues.name}: false}\` turns that off. Remove that line to use \`/issuewright split\`.`,
    );
  return { servers: { servers: [], isWanted: () => false } };
}

/** What is different in a run that does not work on an issue. */
export function planByKind(
  plan: PlannedKind,
  settings: RepositorySettings,
  operator: Operator,
): Partial<ReviewPlan> {
  if (plan.isReview) return planReview(plan, settings);
  return plan.isSplit ? planSplit(plan, settings, operator) : {};
}

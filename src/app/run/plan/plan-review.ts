import type { AgentLimits } from '../../../agent/limits.ts';
import { REVIEW_FILE } from '../../../session/settings/review.ts';
import type { RepositorySettings } from '../../../session/settings/index.ts';
import type { ServersPlan } from './offered-tools.ts';

interface ReviewPlan {
  readonly servers: ServersPlan;
  readonly limits: AgentLimits;
  readonly instructionFiles: readonly string[];
}

/**
 * What is different in a run that reviews the pull request of someone else. Its author decides what the run reads, and nobody asked
 * in words for the use of MCP servers.
 */
export const planReview = (
  { limits, instructionFiles }: Pick<ReviewPlan, 'limits' | 'instructionFiles'>,
  { review }: Pick<RepositorySettings, 'review'>,
): ReviewPlan => ({
  servers: { servers: [], isWanted: () => false },
  limits: { ...limits, dollars: { ...limits.dollars, reviewsDay: review.dollars } },
  instructionFiles: [...instructionFiles, REVIEW_FILE],
});

// The list of all REST routes.
import { repositoryRoute } from './access.ts';
import { appRoutes } from './apps.ts';
import { assigneeRoutes } from './assignees.ts';
import { checkRoutes } from './checks.ts';
import { commentRoutes } from './comments.ts';
import { contentRoutes } from './contents.ts';
import { forkRoutes } from './forks.ts';
import { gitDataRoutes } from './git-data.ts';
import { graphqlRoute } from './graphql.ts';
import { historyRoutes } from './history.ts';
import { issueRoutes } from './issues.ts';
import { labelRoutes } from './labels.ts';
import { logRoute } from './job-logs.ts';
import { markdownRoute } from './markdown.ts';
import { mergeRoutes } from './merges.ts';
import { pullRoutes } from './pulls.ts';
import { reactionRoutes } from './reactions.ts';
import { refRoutes } from './refs.ts';
import { repositoryRoutes } from './repositories.ts';
import { reviewCommentRoutes } from './review-comments.ts';
import { reviewRoutes } from './reviews.ts';
import { rulesetRoutes } from './rulesets.ts';
import type { Route } from './route.ts';
import { statusRoutes } from './statuses.ts';
import { subIssueRoutes } from './sub-issues.ts';
import { userRoutes } from './users.ts';
import { workflowRoutes } from './workflows.ts';

export const routes: readonly Route[] = [
  ...appRoutes,
  ...userRoutes,
  ...[
    ...repositoryRoutes,
    ...labelRoutes,
    ...assigneeRoutes,
    ...contentRoutes,
    ...gitDataRoutes,
    ...refRoutes,
    ...rulesetRoutes,
    ...forkRoutes,
    ...historyRoutes,
    ...issueRoutes,
    ...subIssueRoutes,
    ...commentRoutes,
    ...reactionRoutes,
    ...mergeRoutes,
    ...pullRoutes,
    ...reviewRoutes,
    ...reviewCommentRoutes,
    ...checkRoutes,
    ...statusRoutes,
    ...workflowRoutes,
  ].map(repositoryRoute),
  graphqlRoute,
  markdownRoute,
  logRoute,
];

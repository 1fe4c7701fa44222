// All that is asked of GitHub directly, in this order.
import type { Belief } from '../proof.ts';
import { CHECK_BELIEFS } from './checks.ts';
import { COMMIT_BELIEFS } from './commits.ts';
import { GRAPHQL_READS } from './graphql.ts';
import { DELIVERY_BELIEFS, ISSUE_BELIEFS } from './issues.ts';
import { MERGE_BELIEFS, PULL_REQUEST_BELIEFS } from './pull-requests.ts';
import { TOKEN_BELIEFS } from './tokens.ts';

export const BELIEFS: readonly Belief[] = [
  ...TOKEN_BELIEFS,
  ...COMMIT_BELIEFS,
  ...PULL_REQUEST_BELIEFS,
  ...CHECK_BELIEFS,
  ...ISSUE_BELIEFS,
  ...GRAPHQL_READS,
  ...DELIVERY_BELIEFS,
  ...MERGE_BELIEFS,
];

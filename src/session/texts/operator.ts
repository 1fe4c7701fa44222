// What the operator of the service did to a session, by its command line.
import type { OperatorCommand } from '../../contracts/intent.ts';

/** Why its run ended. */
export const STOPPED_BY_OPERATOR = 'The operator of this service asked to stop.';

/** A comment on the issue. */
export const OPERATOR_COMMENTS: Readonly<Record<OperatorCommand, string>> = {
  stop: 'The operator of this service stopped the work. What is done so far stays on its branch.',
  retry: 'The operator of this service started the work again.',
};

// What the operator of the service did to a session, by its command line.
import type { OperatorCommand } from '../../contracts/intent.ts';
import type { Session } from '../session.ts';
import { mention } from './markdown.ts';

/** Why its run ended. */
export const STOPPED_BY_OPERATOR = 'The operator of this service asked to stop.';

const DID: Readonly<Record<OperatorCommand, string>> = {
  stop: 'The operator of this service stopped the work. What is done stays on its branch.',
  retry: 'The operator of this service started the work again.',
};

/** A comment on the issue: whoever requested the work may not follow it. */
export const operatorComment = (
  { requests: { requester } }: Session,
  command: OperatorCommand,
): string => `${requester === undefined ? '' : `${mention(requester.login)} `}${DID[command]}`;

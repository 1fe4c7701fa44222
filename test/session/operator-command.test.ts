import { expect, it } from '@jest/globals';
import type { OperatorCommand, Person } from '../../src/contracts/intent.ts';
import { inputMessage } from '../../src/agent/prompts/input.ts';
import { stateOf } from '../../src/session/state.ts';
import { terminationReason } from '../../src/session/texts/run-ends.ts';
import { Journal } from '../support/journal.ts';

const OPERATOR: Person = { login: 'the operator', id: 0, operator: true };
const order = (journal: Journal, command: OperatorCommand): Journal =>
  journal.receive({ kind: 'operator_command', command }, OPERATOR).admit();

it('a stop by the operator ends the run', () => {
  const journal = order(new Journal().start().run(), 'stop');
  expect(terminationReason(journal.session)).toBe('The operator of this service asked to stop.');
  expect(stateOf(journal.session)).toBe('stopped');
});

it('a retry by the operator starts a run for the person who requested the work', () => {
  const journal = new Journal().start().run().end({ kind: 'failed', reason: 'It broke.' });
  expect(stateOf(journal.session)).toBe('failed');
  const { session } = order(journal, 'retry');
  expect(stateOf(session)).toBe('queued');
  expect(session.requests.requester?.login).toBe('octo-maintainer');
  expect(inputMessage(session).text).toContain('# The operator of this service asks to try again');
});

it('a retry by the operator takes back a stop', () => {
  const journal = order(new Journal().start().run(), 'stop');
  journal.end({ kind: 'stopped', reason: 'asked to' });
  expect(stateOf(order(journal, 'retry').session)).toBe('queued');
});

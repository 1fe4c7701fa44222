import { expect, it } from '@jest/globals';
import { pendingIn } from '../../../../src/app/run/ports/servers.ts';
import type { Effect } from '../../../../src/contracts/effect.ts';
import { Journal } from '../../../support/journal.ts';

const call = {
  tool: 'mcp__new__deploy',
  arguments: { to: 'production' },
  question: { message: 'Deploy?', parameters: { type: 'object' } },
  answered: [],
};
const asked: Effect = { type: 'server_question', call };
const answering = { tool: 'answer_mcp_question', arguments: { answers: {} } };

/** A run that ended with the question of a server. */
const question = (): Journal =>
  new Journal()
    .start()
    .run()
    .turn({ calls: [{ tool: call.tool, result: { effects: [asked], halt: 'asked' } }] })
    .end({ kind: 'asked' });

const pending = ({ entries }: Journal) => pendingIn(entries);

it('a question of a server is answered by words that came in after it, and by no command', () => {
  expect(pending(question())).toEqual({ call, isAnswered: false });
  expect(pending(question().command('status'))?.isAnswered).toBe(false);
  expect(pending(question().comment('Yes.').admit())?.isAnswered).toBe(true);
  const before = new Journal().start().comment('Yes.');
  const received = before.entries.length;
  before
    .run()
    .turn({ calls: [{ tool: call.tool, result: { effects: [asked], halt: 'asked' } }] })
    .add({ type: 'admitted', received, lineComments: [], shown: { body: 'Yes.' } });
  expect(pending(before)?.isAnswered).toBe(false);
});

it('its answer is passed on once, whatever became of that', () => {
  const answered = (): Journal => question().comment('Yes.').admit().run();
  const interrupted = answered().turn({ calls: [answering] });
  expect(pending(interrupted)).toEqual({ call, isAnswered: true });
  for (const ok of [true, false])
    expect(pending(answered().turn({ calls: [{ ...answering, result: { ok } }] }))).toBeUndefined();
  const again = { ...answering, result: { effects: [asked], halt: 'asked' as const } };
  expect(pending(answered().turn({ calls: [again] }))).toEqual({ call, isAnswered: false });
});

it('an answer that was never passed on still can be', () => {
  const wrong = { ...answering, fault: 'these answers do not fit', result: { ok: false } };
  const refused = question()
    .comment('Yes.')
    .admit()
    .run()
    .turn({ calls: [wrong] });
  expect(pending(refused)).toEqual({ call, isAnswered: true });
});

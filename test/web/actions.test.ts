// The buttons of a session's page, pressed on a page that may be old.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Session } from '../../src/session/session.ts';
import { isRunning, needsRun, stateOf } from '../../src/session/state.ts';
import {
  actionPressed,
  actionsOf,
  sessionActions,
  type Action,
} from '../../src/web/pages/actions.ts';
import { cases } from '../support/cases.ts';
import { Journal } from '../support/journal.ts';

const STEPS = [
  'begin',
  'ask',
  'plan',
  'fail',
  'finish',
  'say',
  'retry',
  'approve',
  'stop',
  'pause',
  'resume',
] as const;
type Step = (typeof STEPS)[number];

/** What happens to a session; what cannot happen then does not. */
function take(journal: Journal, step: Step): void {
  const { session } = journal;
  const runs = isRunning(session);
  switch (step) {
    case 'begin':
      if (needsRun(session) && !runs) journal.beginRun().prepare({ planFirst: true });
      return;
    case 'ask':
    case 'plan':
      if (runs) stopToAsk(journal, step);
      return;
    case 'fail':
      if (runs) journal.end({ kind: 'failed', reason: 'It broke.' });
      return;
    case 'finish':
      if (runs) journal.end({ kind: 'finished' });
      return;
    case 'say':
      journal.comment('Words.').admit();
      return;
    case 'approve':
    case 'retry':
    case 'stop':
    case 'pause':
    case 'resume':
      journal.command(step);
      return;
    default:
      step satisfies never;
  }
}

function stopToAsk(journal: Journal, what: 'ask' | 'plan'): void {
  journal.effect(
    what === 'ask'
      ? { type: 'question', text: 'Which?' }
      : { type: 'plan', needsApproval: true, items: [{ id: '1', title: 'x', done: false }] },
    'asked',
  );
  journal.end({ kind: 'asked' });
}

/** The fields that a browser sends when this button of the page is pressed. */
function pressOn(session: Session, action: Action): URLSearchParams {
  const page = sessionActions({ id: 'abc', session }).text;
  const about = /name="about"\s+value="([^"]*)"/.exec(page)?.[1] ?? '';
  return new URLSearchParams({ action, about, text: 'Yes.' });
}

/** What a person sees before they decide. */
const seen = (session: Session, action: Action): unknown => {
  const { question, proposal } = session.waiting;
  if (action === 'answer') return question?.seq;
  if (action === 'approve') return proposal?.seq;
  return stateOf(session) === 'queued' ? (session.run?.number ?? 0) + 1 : session.run?.number;
};

describe('a button of an old page', () => {
  it('does what its page offered, about the same thing, or nothing', () => {
    let carriedOut = 0;
    let outdated = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 30 }), (steps) => {
        const journal = new Journal().start().admit();
        const pages = [journal.session];
        for (const step of steps) {
          take(journal, step);
          pages.push(journal.session);
        }
        const now = journal.session;
        for (const page of pages)
          for (const action of actionsOf(page)) {
            const done = actionPressed(now, pressOn(page, action));
            if (done === undefined) {
              outdated += 1;
              continue;
            }
            carriedOut += 1;
            expect([done, seen(now, action)]).toEqual([action, seen(page, action)]);
          }
        for (const action of actionsOf(now))
          expect(actionPressed(now, pressOn(now, action))).toBe(action);
      }),
      { numRuns: cases(1000, 10_000) },
    );
    expect(Math.min(carriedOut, outdated)).toBeGreaterThan(0);
  });
});

// The state machine is the table STATES; these stories lead to each of its rows.
import { describe, expect, it } from '@jest/globals';
import { apply, fold } from '../../src/session/fold/fold.ts';
import { STATES, stateOf } from '../../src/session/state.ts';
import { Journal } from '../support/journal.ts';
import { inParts } from '../support/in-parts.ts';
import * as splitting from '../support/split-stories.ts';
import * as stories from '../support/stories.ts';

const ended = (kind: 'stopped' | 'failed' | 'limit') => (): Journal =>
  stories.working().end({ kind, reason: 'x' });
const botsOnly = (): Journal => stories.IN_EACH_STATE['waiting(person)']();

/** A story for each row, by what the row says. */
const STORIES: Readonly<Record<string, () => Journal>> = {
  'its pull request was merged': stories.merged,
  'its issue or pull request was closed': stories.closed,
  'someone stopped it': () => stories.working().command('stop'),
  'someone paused it': () => stories.working().command('pause'),
  'the operator paused the service, and there is something to do': () =>
    stories.working().add({ type: 'service_paused', reason: 'maintenance' }),
  'a run has started and not ended': stories.working,
  'work is requested, a question expired and its defaults apply, or failed checks are to be fixed':
    stories.queued,
  'work is requested, but the last three runs were requested only by bots, or the limit of review rounds is reached':
    botsOnly,
  'its sub-issues are worked on in their order': inParts,
  'nothing has run, and its sub-issues are done': () =>
    inParts().add({
      type: 'sub_issues_read',
      steps: [{ number: 8, title: 'Greet the first', stands: 'done' }],
      isOver: true,
    }),
  'nothing has run yet, and a request waits for admission': () =>
    new Journal().receive({ kind: 'start', label: 'issuewright', title: '', body: '' }),
  'nothing has run, and no one with permission has requested anything': stories.ignored,
  'the sub-issues that the last run proposed are approved, and opened now':
    splitting.subIssuesApproved,
  'the last run ended with a plan, sub-issues, or a change of workflow files, that needs approval':
    stories.proposed,
  'the sub-issues that the last run proposed are open': splitting.subIssuesOpened,
  'the last run ended with a question': stories.asked,
  'the last run finished, and its pull request is open': stories.submitted,
  'the last run finished without a pull request': stories.nothingToDo,
  'the last run ended with an answer': stories.answered,
  'the last run ended at a limit, and its pull request is open': () => stories.limitedInReview(),
  'the last run ended at a limit': ended('limit'),
  'the last run failed': ended('failed'),
  'the last run was stopped': ended('stopped'),
};

describe('the table of states', () => {
  it.each(STATES.map(({ state, because }) => [because, state] as const))(
    'has a story that leads to the row: %s',
    (because, state) => {
      const session = STORIES[because]?.().session;
      expect(session && STATES.find(({ when }) => when(session))?.because).toBe(because);
      expect(session && stateOf(session)).toBe(state);
    },
  );
});

it.each(Object.entries(STORIES))(
  'a session folds entry by entry to what the whole journal says: %s',
  (_because, story) => {
    const { entries } = story();
    entries.slice(1).reduce(
      (session, entry, index) => {
        const next = apply(session, entry);
        expect(next).toEqual(fold(entries.slice(0, index + 2)));
        return next;
      },
      fold(entries.slice(0, 1)),
    );
  },
);

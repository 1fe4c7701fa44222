// A journal of which only the needed entries are in memory is the same as a whole one.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conversationIn, conversationOf } from '../../../src/app/run/conversation.ts';
import { publicationsOf } from '../../../src/app/publish/publications.ts';
import type { Effect } from '../../../src/contracts/effect.ts';
import type { Entry } from '../../../src/session/entry.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import { keep, needed, NOTHING_KEPT, type KeptEntries } from '../../../src/session/kept-entries.ts';
import type { Session } from '../../../src/session/session.ts';
import { isRunning } from '../../../src/session/state.ts';
import { anySession } from '../../agent/random-session.ts';
import { play } from '../../agent/session-player.ts';
import { cases } from '../../support/cases.ts';
import { Journal, STRANGER } from '../../support/journal.ts';
import { finishAs } from '../../support/stories.ts';

interface Read {
  readonly session: Session;
  readonly kept: KeptEntries;
  readonly entries: readonly Entry[];
}

const whole = (entries: readonly Entry[]): Read => ({
  session: fold(entries),
  kept: entries.reduce(keep, NOTHING_KEPT),
  entries,
});

/** What a reader has that dropped what was not needed as of the entry `cut`, and again at the end. */
function tidiedAt(entries: readonly Entry[], cut: number, by: 'views' | 'run'): Read {
  const { session, kept } = whole(entries);
  const before = whole(entries.slice(0, cut));
  const rest = entries.slice(cut);
  return {
    session,
    kept,
    entries: needed([...needed(before.entries, before.kept, by), ...rest], kept, by),
  };
}

/** Everything that a run does next depends on. */
function stateOfRun(read: Read) {
  const history = conversationIn(read);
  const { prompt, messages, size, sinceCompaction, runs, used, openCall } = history;
  const { faultsInARow, fault, hasChangedFiles, finishedCalls, end } = history;
  const topics = read.entries.flatMap((entry) => (entry.type === 'notice' ? [entry.topic] : []));
  return JSON.stringify({
    prompt: [prompt.protocol.name, prompt.instructions],
    said: [messages, size, sinceCompaction],
    counted: [runs, used, faultsInARow, hasChangedFiles],
    last: [openCall, fault, finishedCalls, end],
    told: [...new Set(topics)].filter((topic) => history.wasTold(topic)).toSorted(),
    inARow: openCall && history.timesInARow(openCall.call),
  });
}

const plan: Effect = {
  type: 'plan',
  items: [{ id: '1', title: 'x', done: false }],
  needsApproval: true,
};
const patch: Effect = {
  type: 'patch',
  base: 'a'.repeat(40),
  summary: 'Greet people',
  text: 'diff',
  files: [],
};

/** What people, the agent and the service do, each with the entries that it leaves. */
const HAPPENINGS = {
  comment: (journal) => journal.comment('And the docs?').admit(),
  crowd: (journal) => journal.comment('Me too.', STRANGER).reject('not_permitted'),
  status: (journal) => journal.command('status'),
  help: (journal) => journal.command('help'),
  stop: (journal) => journal.command('stop'),
  again: (journal) => journal.command('retry'),
  begin: (journal) => (isRunning(journal.session) ? journal : journal.run()),
  work: (journal) => journal.turn({ calls: [{ tool: 'note', result: {} }] }),
  interrupted: (journal) => journal.turn({ calls: [{ tool: 'note' }] }),
  plan: (journal) => journal.effect(plan, 'asked').end({ kind: 'asked' }),
  question: (journal) =>
    journal.effect({ type: 'question', text: 'Which?' }, 'asked').end({ kind: 'asked' }),
  patch: (journal) => journal.effect(patch),
  compact: (journal) => journal.compacted('Much was done.'),
  answer: (journal) => journal.answered('It does that already.'),
  finish: (journal) =>
    journal.effect(finishAs('done', 'It does.'), 'finished').end({ kind: 'finished' }),
  published: (journal) => journal.add({ type: 'published', key: 'status', id: 1, url: 'x' }),
} satisfies Record<string, (journal: Journal) => Journal>;

const happenings = fc.array(
  fc.constantFrom(...(Object.keys(HAPPENINGS) as (keyof typeof HAPPENINGS)[])),
  { maxLength: 30 },
);

const OPTIONS = { session: 's-1', pageUrl: undefined, now: '2030-01-15T15:00:00Z' };
const shownOf = ({ session, entries }: Pick<Read, 'session' | 'entries'>) =>
  publicationsOf({ session, entries, options: OPTIONS }).map(({ key, digest }) => [key, digest]);

describe('a journal of which entries were dropped', () => {
  it('shows the same, whenever that was', () => {
    fc.assert(
      fc.property(happenings, (all) => {
        const journal = all.reduce((one, name) => HAPPENINGS[name](one), new Journal().start());
        const { entries } = journal;
        const shown = shownOf({ session: fold(entries), entries });
        for (let cut = 1; cut <= entries.length; cut += 1)
          expect(shownOf(tidiedAt(entries, cut, 'views'))).toEqual(shown);
      }),
      { numRuns: cases(40, 1_000) },
    );
  });

  it("has the first message of its conversation, also if that is the agent's or our own", () => {
    const turn = { calls: [{ tool: 'note', result: {} }] };
    const begun = () => new Journal().start().beginRun().prepare();
    for (const journal of [begun().notice('x', 'First.'), begun().turn(turn)]) {
      const { entries } = journal.turn(turn).turn(turn).compacted('Much was done.').turn(turn);
      const expected = stateOfRun(whole(entries));
      for (let cut = 1; cut <= entries.length; cut += 1)
        expect(stateOfRun(tidiedAt(entries, cut, 'run'))).toBe(expected);
      const messages = conversationOf(entries).messages;
      expect(conversationIn(tidiedAt(entries, entries.length, 'run')).messages).toEqual(messages);
    }
  });

  it('continues its conversation with the same request, whenever that was', async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (runs) => {
        const { sent, stored } = await play(runs);
        for (const { at, messages } of sent) {
          const entries = stored.slice(0, at);
          const expected = stateOfRun(whole(entries));
          const cuts = [...Array(4).keys()].map((part) => Math.max(1, (at * part) >> 2));
          for (const cut of [...cuts, at])
            expect(stateOfRun(tidiedAt(entries, cut, 'run'))).toBe(expected);
          expect(expected).toContain(JSON.stringify(messages));
        }
      }),
      { seed: 1, numRuns: cases(8, 120), interruptAfterTimeLimit: cases(10_000, 100_000) },
    );
  });
});

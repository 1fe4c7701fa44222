// Whatever people do, in whatever order: nothing that is asked is lost, and nothing begins by itself.
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isClosed, isRunning, needsRun } from '../../src/session/state.ts';
import { Journal } from '../support/journal.ts';
import { finishAs } from '../support/stories.ts';
import { terminationReason } from '../../src/session/texts/run-ends.ts';
import { cases } from '../support/cases.ts';

const BY_PEOPLE = ['say', 'work', 'retry', 'stop', 'pause', 'resume', 'close', 'reopen'] as const;
const BY_THE_RUN = ['begin', 'hear', 'ask', 'finish', 'fail', 'end'] as const;
type Step = (typeof BY_PEOPLE)[number] | (typeof BY_THE_RUN)[number];

const isByTheRun = (step: Step): step is (typeof BY_THE_RUN)[number] =>
  BY_THE_RUN.some((one) => one === step);

const MOST_STEPS = 40;

class Play {
  readonly journal = new Journal().start();
  /** What must still reach the model: requests, and comments during a run. */
  readonly owed = new Map<string, 'say' | 'work'>();
  readonly told: string[] = [];
  #said = 0;

  get session() {
    return this.journal.session;
  }

  get isOver(): boolean {
    return this.session.requests.stop !== undefined || isClosed(this.session);
  }

  take(step: Step): void {
    if (isByTheRun(step)) this.#runs(step);
    else this.#does(step);
  }

  #does(step: (typeof BY_PEOPLE)[number]): void {
    switch (step) {
      case 'say':
        if (isRunning(this.session) && !this.isOver) this.owed.set(this.#says(), step);
        else this.#says();
        return;
      case 'work':
        // Admission rejects it if the issue is closed.
        if (!this.session.thread.issueClosed) this.owed.set(this.#says(step), step);
        return;
      case 'stop':
        this.owed.clear();
        this.journal.command(step);
        return;
      case 'close':
        this.owed.clear();
        this.journal.receive({ kind: 'issue_closed', at: '' });
        return;
      case 'reopen':
        this.journal.receive({ kind: 'issue_reopened', at: '' });
        return;
      case 'retry':
      case 'pause':
      case 'resume':
        this.journal.command(step);
        return;
      default:
        step satisfies never;
    }
  }

  /** Only what can happen: a run that is over ends, and does nothing else. */
  #runs(step: (typeof BY_THE_RUN)[number]): void {
    const { session } = this;
    if (step === 'begin') {
      if (needsRun(session) && !isRunning(session)) this.#hears(this.journal.beginRun().prepare());
      return;
    }
    if (!isRunning(session)) return;
    if (terminationReason(session) !== undefined || step === 'end') {
      if (terminationReason(session) !== undefined)
        this.journal.end({ kind: 'stopped', reason: 'x' });
    } else if (step === 'hear') this.#hears(this.journal);
    else if (step === 'fail') {
      // It has had its chance with all that was said before.
      this.owed.clear();
      this.journal.end({ kind: 'failed', reason: 'x' });
    } else if (step === 'ask') this.#asks();
    else this.journal.effect(finishAs('nothing_to_do', 'x')).end({ kind: 'finished' });
  }

  /** Earlier comments reach the model with the answer. */
  #asks(): void {
    this.journal.effect({ type: 'question', text: 'Which?' }, 'asked').end({ kind: 'asked' });
    for (const [words, kind] of this.owed) if (kind === 'say') this.owed.delete(words);
  }

  #says(ask?: 'work'): string {
    const words = `words ${(this.#said += 1)}.`;
    this.journal.comment(words);
    if (ask === undefined) this.journal.admit();
    else this.journal.admitAsking(ask);
    return words;
  }

  #hears(journal: Journal): void {
    const before = journal.entries.length;
    journal.takeInput();
    const [input] = journal.entries.slice(before);
    if (input?.type !== 'input_read') return;
    this.told.push(input.text);
    for (const words of this.owed.keys()) if (input.text.includes(words)) this.owed.delete(words);
  }

  /** Until there is nothing more to do, with a run that hears and finishes. */
  settle(): number {
    let steps = 0;
    while (steps < MOST_STEPS && (isRunning(this.session) || needsRun(this.session))) {
      steps += 1;
      if (!isRunning(this.session)) this.take('begin');
      else if (this.session.waiting.pausedBy !== undefined && !this.isOver) return steps;
      else if (terminationReason(this.session) !== undefined) this.take('end');
      else {
        this.take('hear');
        this.take('finish');
      }
    }
    return steps;
  }
}

const steps = fc.array(fc.constantFrom<Step>(...BY_PEOPLE, ...BY_THE_RUN), { maxLength: 25 });

describe('whatever people do, in whatever order,', () => {
  it('what they asked for reaches the model, unless it was stopped, closed or paused since', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const play = new Play();
        for (const step of all) play.take(step);
        if (play.session.waiting.pausedBy !== undefined) play.take('resume');
        expect(play.settle()).toBeLessThan(MOST_STEPS);
        expect(play.isOver ? [] : [...play.owed.keys()]).toEqual([]);
      }),
      { numRuns: cases(1_000, 3_000) },
    );
  });

  it('a request after a stop is for the next run, while the stopped one still ends', () => {
    const play = new Play();
    for (const step of ['begin', 'close', 'resume', 'hear', 'say', 'end'] as const) play.take(step);
    expect(play.settle()).toBeLessThan(MOST_STEPS);
    expect([...play.owed.keys()]).toEqual([]);
    expect(play.told.join('\n')).toContain('words 1.');
  });

  it('nothing begins or is in progress if it was stopped or closed last', () => {
    fc.assert(
      fc.property(steps, fc.constantFrom<Step>('stop', 'close'), (all, last) => {
        const play = new Play();
        for (const step of all) play.take(step);
        play.take(last);
        expect(needsRun(play.session)).toBe(false);
        play.settle();
        expect(isRunning(play.session)).toBe(false);
        expect(needsRun(play.session)).toBe(false);
      }),
      { numRuns: cases(500, 1_500) },
    );
  });

  it('reaches the model once', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const play = new Play();
        for (const step of all) play.take(step);
        play.settle();
        const words = play.told.join('\n').match(/words \d+\./g) ?? [];
        expect(new Set(words).size).toBe(words.length);
      }),
      { numRuns: 500 },
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Check, ChecksResult, FailedCheck } from '../../src/contracts/checks.ts';
import { decideOn, isKnown } from '../../src/session/checks/due.ts';
import { isLookDue } from '../../src/session/checks/due.ts';
import { settledState } from '../../src/session/checks/due.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { BOT, type Journal } from '../support/journal.ts';
import { submitted } from '../support/stories.ts';

const SHA = 'a'.repeat(40);

const check = (state: Check['state'], name = 'test'): Check => ({
  source: 'check',
  name,
  state,
  conclusion: state,
  url: null,
  summary: '',
});

const failure = (fingerprint: string, excuse?: FailedCheck['excuse']): FailedCheck => ({
  source: 'check',
  name: `check ${fingerprint}`,
  conclusion: 'failure',
  url: null,
  summary: '',
  annotations: [],
  log: '',
  fingerprint,
  ...(excuse === undefined ? {} : { excuse }),
});

const failed = (
  next: Extract<ChecksResult, { kind: 'failed' }>['next'],
  ...failures: FailedCheck[]
): ChecksResult => ({ kind: 'failed', failures, more: 0, next, rounds: 3 });

const read = (journal: Journal, result: ChecksResult, sha = SHA): Journal =>
  journal.add({ type: 'checks_read', sha, result });
const FIX = { do: 'fix' } as const;
const ASK = { do: 'ask' } as const;

describe('the checks of a commit', () => {
  it.each<[string, readonly Check[], string]>([
    ['that has none', [], 'none'],
    ['all of which passed', [check('passed'), check('passed', 'lint')], 'passed'],
    ['one of which runs', [check('failed'), check('unsettled', 'lint')], 'unsettled'],
    ['one of which failed', [check('passed'), check('failed', 'lint')], 'failed'],
    ['one of which ended without a result', [check('passed'), check('broken')], 'failed'],
  ])('%s are judged together', (_what, checks, kind) => {
    expect(settledState(checks).kind).toBe(kind);
  });
});

describe('failures', () => {
  const fresh = { fixed: [], rounds: 0, allowed: false };
  const own = { isOwn: true, rounds: 3 };
  const asks = { isOwn: false, rounds: 3 };

  it('are asked about, and fixed by themselves only if the settings say so', () => {
    expect(decideOn([failure('a')], fresh, asks)).toEqual(ASK);
    expect(decideOn([failure('a')], fresh, own)).toEqual(FIX);
  });

  it('go on being fixed once a person allowed it', () => {
    expect(decideOn([failure('a')], { ...fresh, allowed: true, rounds: 1 }, asks)).toEqual(FIX);
  });

  it('are left to people at the limit of rounds', () => {
    const left = { do: 'leave', because: 'rounds' };
    expect(decideOn([failure('a')], { ...fresh, rounds: 3 }, own)).toEqual(left);
    expect(decideOn([failure('a')], { ...fresh, rounds: 2 }, own)).toEqual(FIX);
  });

  it('are left alone if the base branch has all of them, or none says anything of the change', () => {
    const left = (because: string) => ({ do: 'leave', because });
    expect(decideOn([failure('a', 'base')], fresh, own)).toEqual(left('base'));
    expect(decideOn([failure('a', 'base'), failure('b', 'no_result')], fresh, own)).toEqual(
      left('flaky'),
    );
    expect(decideOn([failure('a', 'base'), failure('b')], fresh, own)).toEqual(FIX);
  });

  it('end it if a fix changed none of them, and not if it changed one', () => {
    const after = { ...fresh, fixed: ['a', 'b'] };
    expect(decideOn([failure('a'), failure('b')], after, own)).toMatchObject({ because: 'same' });
    expect(decideOn([failure('a'), failure('c')], after, own)).toEqual(FIX);
  });

  it('that are known already are no news', () => {
    const { last } = read(submitted(), failed(ASK, failure('a'))).session.checks;
    expect(isKnown(SHA, [failure('a')], FIX, last)).toBe(true);
    expect(isKnown('b', [failure('a')], ASK, last)).toBe(true);
    expect(isKnown('b', [failure('a')], FIX, last)).toBe(false);
    expect(isKnown(SHA, [failure('b')], ASK, last)).toBe(false);
    expect(isKnown(SHA, [failure('a')], ASK, undefined)).toBe(false);
  });
});

describe('a session', () => {
  const hint = (journal: Journal, sha = SHA) => journal.receive({ kind: 'checks_changed', sha });

  it('looks at the checks of its open pull request once for all hints, and not during a run', () => {
    const journal = hint(hint(submitted()), 'b'.repeat(40));
    expect(isLookDue(journal.session)).toBe(true);
    expect(isLookDue(hint(submitted()).review('More').admit().session)).toBe(false);
    expect(isLookDue(read(journal, { kind: 'unsettled' }).session)).toBe(false);
  });

  it('looks again for a hint that came in while it read', () => {
    const journal = hint(submitted());
    const upTo = journal.session.seq;
    hint(journal).add({ type: 'checks_read', sha: SHA, result: { kind: 'unsettled' }, upTo });
    expect(isLookDue(journal.session)).toBe(true);
    const again = journal.session.seq;
    journal.add({ type: 'checks_read', sha: SHA, result: { kind: 'passed' }, upTo: again });
    expect(isLookDue(journal.session)).toBe(false);
  });

  it('no longer says that the checks cannot be read once they can', () => {
    const blind = read(submitted(), { kind: 'unreadable', reason: 'No permission.' });
    expect(blind.session.checks.last?.result.kind).toBe('unreadable');
    expect(read(blind, { kind: 'none' }).session.checks.last).toBeUndefined();
  });

  it('looks again once an owner has accepted permissions', () => {
    const blind = read(submitted(), { kind: 'unreadable', reason: 'No permission.' });
    expect(isLookDue(blind.session)).toBe(false);
    expect(isLookDue(blind.add({ type: 'permissions_accepted' }).session)).toBe(true);
  });

  it('ignores hints before it has a pull request, and after that is closed', () => {
    const closed = submitted().receive({
      kind: 'pull_request_closed',
      pullRequest: submitted().session.thread.pullRequest?.number ?? 0,
      merged: false,
    });
    expect(isLookDue(hint(closed).session)).toBe(false);
  });

  it('needs a run for a fix, which is one round and reads what failed', () => {
    const journal = read(submitted(), failed(FIX, failure('a')));
    expect(stateOf(journal.session)).toBe('queued');
    const before = journal.session.run?.number ?? 0;
    journal.add({ type: 'run_started', run: before + 1 });
    expect(journal.session.checks).toMatchObject({ rounds: 1, fixed: ['a'] });
    journal.add({ type: 'input_read', upTo: journal.session.checks.due ?? 0, text: '' });
    expect(journal.session.checks.due).toBeUndefined();
    expect(journal.session.work.strangersRead).toBe(true);
  });

  it('does not try forever if the run for a fix cannot begin', () => {
    const journal = read(submitted(), failed(FIX, failure('a')));
    const run = (journal.session.run?.number ?? 0) + 1;
    journal.add({ type: 'run_started', run });
    journal.add({
      type: 'run_ended',
      run,
      end: { kind: 'limit', reason: 'The budget is used up.' },
    });
    expect(needsRun(journal.session)).toBe(false);
  });

  it('begins a fix at a 👍 on the comment that asks, and at none on an older one', () => {
    const journal = read(submitted(), failed(ASK, failure('a')));
    const asked = journal.session.checks.asked?.seq ?? 0;
    const old = read(submitted(), failed(ASK, failure('a')));
    old.receive({ kind: 'fix_approved', checks: asked - 1 }).admit();
    expect(needsRun(old.session)).toBe(false);
    journal.receive({ kind: 'fix_approved', checks: asked }).admit();
    expect(needsRun(journal.session)).toBe(true);
    expect(journal.session.requests.requester).toEqual(submitted().session.requests.requester);
  });

  it('counts rounds until a person writes, and not until a bot does', () => {
    const run = (journal: Journal) =>
      journal.add({ type: 'run_started', run: (journal.session.run?.number ?? 0) + 1 });
    const journal = run(read(submitted(), failed(FIX, failure('a'))));
    journal.comment('Nice', BOT).admit();
    expect(journal.session.checks.rounds).toBe(1);
    journal.comment('Nice').admit();
    expect(journal.session.checks.rounds).toBe(0);
  });

  it('fixes nothing after a stop', () => {
    const journal = read(submitted(), failed(FIX, failure('a'))).command('stop');
    expect(journal.session.checks).toMatchObject({ due: undefined, hinted: [] });
    expect(needsRun(journal.session)).toBe(false);
  });

  it('takes the command for a request for work if no check is known to fail', () => {
    const journal = submitted().command('fix');
    expect(journal.session.checks.due).toBeUndefined();
    expect(stateOf(journal.session)).toBe('queued');
  });
});

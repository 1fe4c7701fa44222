import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ProviderOutage, QuotaSpent } from '../../../src/agent/model-errors.ts';
import {
  afterError,
  endWithoutProgress,
  insistingOnMerge,
  outcomeOfError,
} from '../../../src/app/run/outcome.ts';
import type { RunOutcome } from '../../../src/app/run/outcome.ts';
import { NotInstalled, Suspended, WriteBudgetExhausted } from '../../../src/github/errors.ts';
import {
  MergedCommitGone,
  MergeRejected,
  TellPerson,
  TryLater,
  Termination,
} from '../../../src/lib/errors.ts';
import { ClaimLost } from '../../../src/store/store.ts';
import { BranchMoved } from '../../../src/workspace/git/publish/push.ts';
import { Journal } from '../../support/journal.ts';

const live = new AbortController().signal;
const waitOf = (outcome: RunOutcome): number =>
  outcome.kind === 'deferred' ? outcome.until.getTime() - Date.now() : Number.NaN;

describe('an error in a run', () => {
  it('for people ends it at once', () => {
    const end = outcomeOfError(new TellPerson('The push was denied.'), live, 0);
    expect(end).toEqual({
      kind: 'failed',
      cause: { because: 'error', message: 'The push was denied.', attempts: 1 },
    });
  });

  it('defers it for longer each time, then ends it', () => {
    const waits = [0, 1, 2, 3].map((resumed) =>
      waitOf(outcomeOfError(new TryLater('busy'), live, resumed)),
    );
    expect(waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0))).toBe(true);
    expect(outcomeOfError(new TryLater('busy'), live, 7)).toMatchObject({ kind: 'deferred' });
    expect(outcomeOfError(new TryLater('busy'), live, 8)).toEqual({
      kind: 'failed',
      cause: { because: 'error', message: 'busy', attempts: 9 },
    });
  });

  it('waits as long as it is asked to, and never shorter than its own pause', () => {
    expect(
      waitOf(outcomeOfError(new TryLater('x', { retryAfterMs: 3_600_000 }), live, 0)),
    ).toBeGreaterThan(3_500_000);
    expect(waitOf(outcomeOfError(new TryLater('x', { retryAfterMs: 1 }), live, 0))).toBeGreaterThan(
      10_000,
    );
  });

  it('of the provider alone lets it wait for another model, however often it failed, and no longer', () => {
    const takeOver = Date.now() + 60_000;
    for (const error of [
      new ProviderOutage('down', { retryAfterMs: 3_600_000 }),
      new QuotaSpent('The quota is used up.'),
    ])
      expect(outcomeOfError(error, live, 9, takeOver)).toMatchObject({
        kind: 'deferred',
        until: new Date(takeOver),
        cause: { isOutage: true },
      });
    const now = outcomeOfError(new ProviderOutage('down'), live, 9, takeOver - 3_600_000);
    expect(waitOf(now)).toBeLessThanOrEqual(0);
    for (const error of [new TryLater('GitHub is busy'), new TellPerson('The key is wrong.')])
      expect(outcomeOfError(error, live, 9, takeOver)).toMatchObject({ kind: 'failed' });
    expect(outcomeOfError(new QuotaSpent('The quota is used up.'), live, 0)).toMatchObject({
      kind: 'failed',
    });
  });

  it('says what it waits for if that is not the fault of the run', () => {
    expect(outcomeOfError(new WriteBudgetExhausted('used up'), live, 0)).toMatchObject({
      cause: { because: 'write_budget' },
    });
    expect(outcomeOfError(new Suspended('suspended'), live, 0)).toMatchObject({
      cause: { because: 'installation' },
    });
  });

  it('that is unexpected is retried twice, and its message is not shown', () => {
    const error = new Error('connection to 10.0.0.7 broke');
    const outcomes = [0, 1, 2].map((resumed) => outcomeOfError(error, live, resumed));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['deferred', 'deferred', 'failed']);
    expect(JSON.stringify(outcomes)).not.toContain('10.0.0.7');
  });

  it('after a shutdown leaves it to the next start; after the end of the work it stops', () => {
    const shutdown = AbortSignal.abort(new Error('stop'));
    expect(outcomeOfError(new Error('x'), shutdown, 0)).toEqual({ kind: 'interrupted' });
    const over = AbortSignal.abort(new Termination('Closed.'));
    expect(outcomeOfError(new Error('x'), over, 0)).toEqual({ kind: 'stopped', reason: 'Closed.' });
  });

  it('that comes from a lost claim leaves it to the process that has the claim', () => {
    const over = AbortSignal.abort(new Termination('Closed.'));
    expect(outcomeOfError(new ClaimLost('s1'), over, 0)).toEqual({ kind: 'claim_lost' });
  });
});

const scopeOf = (gitToken: () => Promise<string>, log = pino({ level: 'silent' })) => {
  const tracker = { id: 's1', session: new Journal().start().run().session, entries: [] };
  return { tracker, signal: live, service: { log }, github: { gitToken } } as never as Parameters<
    typeof afterError
  >[0];
};

describe('what GitHub denies to a run', () => {
  const denied = new TellPerson('GitHub denied a push (status 403).');

  it('defers it if the App has no access any more, as a fresh token shows', async () => {
    const tokens = [
      () => Promise.resolve('one that is kept'),
      () => Promise.reject(new NotInstalled('The App was removed.')),
    ];
    const scope = scopeOf(() => tokens.shift()?.() ?? Promise.reject(new Error('a third token')));
    expect(await afterError(scope, denied)).toMatchObject({
      kind: 'deferred',
      cause: { because: 'installation', message: 'The App was removed.' },
    });
  });

  it('ends it if the App still gets tokens, or if nobody can say', async () => {
    for (const gitToken of [async () => 'token', () => Promise.reject(new TryLater('down'))])
      expect(await afterError(scopeOf(gitToken), denied)).toMatchObject({ kind: 'failed' });
  });
});

describe('an attempt that the run begins again after', () => {
  const scope = () => scopeOf(async () => 'token');

  it('is a value, not a failure: someone pushed, or what is to be merged is gone', async () => {
    for (const [error, kind] of [
      [new BranchMoved('Someone pushed.'), 'branch_moved'],
      [new MergedCommitGone('It was rewritten.'), 'merged_commit_gone'],
    ] as const)
      expect(await afterError(scope(), error)).toEqual({ kind, message: error.message });
  });

  it('insists on a merge that was rejected once something was changed on top of it', async () => {
    const rejected = await afterError(scope(), new MergeRejected('Too large.'));
    expect(rejected).toMatchObject({ kind: 'failed', cause: { rejectedMerge: true } });
    const cause = { because: 'error', message: 'Too large.', attempts: 1 };
    expect(insistingOnMerge(rejected)).toEqual({ kind: 'failed', cause });
  });
});

describe('the log', () => {
  const logged = async (error: unknown, signal: AbortSignal): Promise<string> => {
    const lines: string[] = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    await afterError({ ...scopeOf(async () => 'token', log), signal }, error);
    return lines.join('');
  };

  it.each([
    ['a stop', new Error('aborted'), AbortSignal.abort(new Termination('Stopped.')), 'stopped'],
    ['a shutdown', new Error('aborted'), AbortSignal.abort(new Error('stop')), 'interrupted'],
    ['a lost claim', new ClaimLost('s1'), live, 'claim_lost'],
  ])('has neither a warning nor a stack after %s', async (_what, error, signal, outcome) => {
    const line = await logged(error, signal);
    expect(JSON.parse(line)).toMatchObject({ level: 30, outcome });
    expect(line).not.toContain('stack');
  });

  it('has a warning with its stack after a failure', async () => {
    expect(JSON.parse(await logged(new Error('boom'), live))).toMatchObject({
      level: 40,
      err: { stack: expect.stringContaining('boom') },
    });
  });
});

describe('a run that ends its process each time', () => {
  it('fails after twenty resumes without a reply', () => {
    const journal = new Journal().start().run();
    for (let n = 0; n < 20; n += 1) journal.add({ type: 'run_resumed', run: 1 });
    expect(endWithoutProgress(journal.session)).toBeUndefined();
    journal.add({ type: 'run_resumed', run: 1 });
    expect(endWithoutProgress(journal.session)).toEqual({
      kind: 'failed',
      cause: { because: 'no_reply', resumes: 20 },
    });
  });
});

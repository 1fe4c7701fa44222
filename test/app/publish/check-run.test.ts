import { describe, expect, it } from '@jest/globals';
import { checkRuns } from '../../../src/app/publish/check-run.ts';
import type { LineNote } from '../../../src/github/checks/check-runs.ts';
import type { GitHubRepository } from '../../../src/github/repository.ts';
import { BUTTONS, checkRunText } from '../../../src/session/texts/check-words.ts';
import type { Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

const viewOf = ({ session, entries }: Journal) => ({
  session,
  entries,
  options: { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' },
});

type Sent = Parameters<GitHubRepository['checkRun']>[0];

/** The buttons that are sent with it. */
async function actionsOf(journal: Journal): Promise<Sent['actions']> {
  let sent: Sent['actions'] = [];
  const github = {
    lacking: () => Promise.resolve(undefined),
    checkRun: ({ actions }: Sent) => {
      sent = actions;
      return Promise.resolve({ id: 1, url: '' });
    },
  } as unknown as GitHubRepository;
  await checkRuns(viewOf(journal)).at(-1)?.publish(github, undefined);
  return sent;
}

const conflicting = (journal: Journal): Journal =>
  journal.receive({ kind: 'conflict', pullRequest: 12, branch: 'main', head: 'h', base: 'b' });

const REVIEW = {
  type: 'self_reviewed',
  change: 'x',
  usage: { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 },
  cost: 0,
  durationMs: 0,
} as const;

describe('the check run', () => {
  it.each<[string, Journal, string | undefined]>([
    ['is in progress while it works', stories.working(), undefined],
    ['succeeds when it is ready for review', stories.submitted(), 'success'],
    ['is neutral while a question is open', stories.asked(), 'neutral'],
    ['fails if the run failed', stories.failed(), 'failure'],
    ['is neutral if a further run reached a limit', stories.limitedInReview(), 'neutral'],
    [
      'is neutral while other checks of the commit fail',
      stories.withFailingChecks(stories.submitted()),
      'neutral',
    ],
    ['is cancelled by a stop', stories.closed(), 'cancelled'],
  ])('%s', (_name, { session }, conclusion) => {
    expect(checkRunText(session).conclusion).toBe(conclusion);
  });

  it('is there while the pull request is open, on the head', () => {
    expect(checkRuns(viewOf(stories.working()))).toEqual([]);
    expect(checkRuns(viewOf(stories.merged()))).toEqual([]);
    const { session } = stories.submitted();
    const keys = checkRuns(viewOf(stories.submitted())).map(({ key }) => key);
    expect(keys.at(-1)).toBe(`check:${session.work.head}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('is there on a new head while a run works, unless the run ends now or the head before it is a moment old', () => {
    const sha = 'f'.repeat(40);
    const seconds = (journal: Journal): number | undefined => {
      const one = checkRuns(viewOf(journal)).find(({ key }) => key === `check:${sha}`);
      expect(one?.duringWork).toBeUndefined();
      return one?.newFrom && Math.round((+one.newFrom - Date.parse(journal.session.at)) / 1000);
    };
    const after = (wait: number): Journal =>
      stories
        .submitted()
        .wait(wait)
        .review('Trim it.')
        .admit()
        .run()
        .effect({ ...stories.COMMIT, sha });
    expect(seconds(after(90))).toBe(5);
    expect(seconds(after(0))).toBeGreaterThan(45);
    expect(seconds(after(0).end({ kind: 'finished' }))).toBeUndefined();
    // The one before it ends as superseded, if it was in progress.
    const [before] = checkRuns(viewOf(after(90)));
    expect([before?.digest, before?.duringWork]).toEqual(['superseded', undefined]);
  });

  it('says that a run works once that takes twenty seconds, whoever began it: the status does at once', () => {
    const { session, entries } = stories.submitted().review('Trim it.').admit().beginRun();
    const [one] = checkRuns({ ...viewOf(stories.submitted()), session, entries });
    expect(+(one?.notBefore ?? 0) - Date.parse(session.run?.startedAt ?? '')).toBe(20_000);
  });

  it('carries at most fifty findings, those about lines of the change as it is now', async () => {
    const findings = Array.from({ length: 70 }, (_, at) => ({ path: 'a.js', line: at, text: 'x' }));
    const others = [{ text: 'about all' }, { path: 'b.js', text: 'about a file' }];
    const journal = stories.submitted();
    journal.effect({ ...REVIEW, findings: [...others, ...findings] });
    const noted = async (): Promise<readonly LineNote[]> => {
      let notes: readonly LineNote[] = [];
      const github = {
        lacking: () => Promise.resolve(undefined),
        checkRun: ({ annotations }: { annotations: readonly LineNote[] }) => {
          notes = annotations;
          return Promise.resolve({ id: 1, url: '' });
        },
      } as unknown as GitHubRepository;
      await checkRuns(viewOf(journal)).at(-1)?.publish(github, undefined);
      return notes;
    };
    const notes = await noted();
    expect(notes).toHaveLength(50);
    expect(notes[0]).toEqual({ path: 'a.js', line: 1, text: 'x' });
    journal.effect({ type: 'commit', sha: 'f'.repeat(40), message: 'More', files: [] });
    expect(await noted()).toEqual([]);
  });

  it('has the buttons that can do something, each with words that GitHub takes', async () => {
    const labels = async (journal: Journal) => (await actionsOf(journal)).map(({ label }) => label);
    expect(await labels(stories.submitted())).toEqual(['Stop']);
    expect(await labels(stories.withFailingChecks(stories.submitted()))).toEqual([
      'Fix checks',
      'Stop',
    ]);
    const dirty = conflicting(stories.submitted());
    // It is being resolved: a button would ask for the same again.
    expect(await labels(dirty)).toEqual(['Stop']);
    const given = dirty.add({ type: 'run_started', run: 2 }).end({ kind: 'failed', reason: 'No.' });
    expect(await labels(given)).toEqual(['Resolve conflicts']);
    expect(await labels(stories.withFailingChecks(stories.submitted()).command('stop'))).toEqual(
      [],
    );
    for (const { label, description, identifier } of Object.entries(BUTTONS).map(
      ([name, words]) => ({ ...words, identifier: `${name}-${10 ** 9 - 1}` }),
    )) {
      expect(label.length).toBeLessThanOrEqual(20);
      expect(identifier.length).toBeLessThanOrEqual(20);
      expect(description.length).toBeLessThanOrEqual(40);
    }
  });

  it('lets nobody fix what the base branch has too, what is not the head’s, or beyond the limit', async () => {
    const labels = async (journal: Journal) => (await actionsOf(journal)).map(({ label }) => label);
    for (const journal of [
      stories.withFailingChecks(stories.submitted(), { excuse: 'base' }),
      stories.withFailingChecks(stories.submitted(), { sha: 'f'.repeat(40) }),
      stories.withFailingChecks(stories.submitted(), { rounds: 0 }),
    ])
      expect(await labels(journal)).not.toContain('Fix checks');
  });

  it('is written again after each use, with buttons that can be told from those before', async () => {
    const before = stories.submitted();
    const digest = (journal: Journal) => checkRuns(viewOf(journal)).at(-1)?.digest;
    const sha = before.session.work.head ?? '';
    const digests = [digest(before)];
    const ids = [(await actionsOf(before))[0]?.identifier];
    const used = before.receive({ kind: 'check_action', action: 'rerun', sha }).admit();
    digests.push(digest(used));
    ids.push((await actionsOf(used))[0]?.identifier);
    expect(ids).toEqual(['stop-0', 'stop-1']);
    expect(digests[0]).not.toBe(digests[1]);
  });

  it('is not written without the permission', async () => {
    const github = {
      lacking: () => Promise.resolve('Grant it.'),
      checkRun: () => Promise.reject(new Error('written')),
    } as unknown as GitHubRepository;
    for (const one of checkRuns(viewOf(stories.submitted())))
      expect(await one.publish(github, 7)).toEqual({ id: 0, url: '' });
  });
});

import { describe, expect, it } from '@jest/globals';
import { checkRuns } from '../../../src/app/publish/check-run.ts';
import type { LineNote } from '../../../src/github/checks/check-runs.ts';
import type { GitHubRepository } from '../../../src/github/repository.ts';
import { checkRunText } from '../../../src/session/texts/check-run.ts';
import type { Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

const viewOf = ({ session, entries }: Journal) => ({
  session,
  entries,
  options: { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' },
});

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

  it('is not written without the permission', async () => {
    const github = {
      lacking: () => Promise.resolve('Grant it.'),
      checkRun: () => Promise.reject(new Error('written')),
    } as unknown as GitHubRepository;
    for (const one of checkRuns(viewOf(stories.submitted())))
      expect(await one.publish(github, 7)).toEqual({ id: 0, url: '' });
  });
});

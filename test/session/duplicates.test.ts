import { describe, expect, it } from '@jest/globals';
import type { RelatedCommit, RelatedPull, RelatedWork } from '../../src/contracts/related-work.ts';
import { claimants, duplicatesIn } from '../../src/session/duplicates.ts';
import { similarity } from '../../src/session/duplicates.ts';

const ABOUT = {
  issue: 16,
  title: 'Count long durations in days',
  body: 'See `src/format.js`.',
  repository: { owner: 'example', name: 'greeter' },
};
const OPENED = '2030-01-10T00:00:00Z';
const LATER = '2030-01-12T00:00:00Z';
const SHA = 'a'.repeat(40);

const pull = (of: Partial<RelatedPull> = {}): RelatedPull => ({
  number: 20,
  title: 'Something else',
  state: 'open',
  author: 'writer',
  isFromFork: false,
  branch: 'some-branch',
  closes: false,
  mentions: false,
  paths: [],
  ...of,
});
const commit = (message: string, of: Partial<RelatedCommit> = {}): RelatedCommit => ({
  sha: SHA,
  message,
  at: LATER,
  ...of,
});
const around = (of: Partial<RelatedWork>): RelatedWork => ({
  openedAt: OPENED,
  pulls: [],
  branches: [],
  commits: [],
  ...of,
});
const found = (of: Partial<RelatedWork>, trusted: readonly string[] = []) =>
  duplicatesIn(around(of), ABOUT, (login) => trusted.includes(login));
const CLEAR = { isClear: true, why: 'closes' };

describe('a pull request', () => {
  const merged = { state: 'merged', closes: true, mergedAt: LATER } as const;
  it.each<[string, Partial<RelatedPull>, object | undefined]>([
    ['that closes the issue is clear', { closes: true }, CLEAR],
    [
      'from a fork of somebody unknown proves nothing',
      { closes: true, isFromFork: true },
      { why: 'unproven' },
    ],
    [
      'from a fork of a writer is clear',
      { closes: true, isFromFork: true, author: 'trusted' },
      CLEAR,
    ],
    [
      'of an account that is gone proves nothing',
      { closes: true, isFromFork: true, author: '' },
      { why: 'unproven' },
    ],
    ['that was merged since is clear', merged, { ...CLEAR, state: 'merged' }],
    [
      'that was merged before the issue was opened is old',
      { ...merged, mergedAt: '2030-01-01T00:00:00Z' },
      undefined,
    ],
    ['that was closed is over', { closes: true, state: 'closed' }, undefined],
    ['that names the issue is possible', { mentions: true }, { why: 'mentions' }],
    ['with a similar title is possible', { title: 'Days for long durations' }, { why: 'similar' }],
    ['with another title is not', { title: 'Translate the greeting' }, undefined],
    [
      'with some of the words is not',
      { title: 'Long texts in days', paths: ['src/other.js'] },
      undefined,
    ],
    [
      'with some of the words, and a file that the issue names, is',
      { title: 'Long texts in days', paths: ['lib/src/format.js'] },
      { why: 'similar' },
    ],
    [
      "on this session's branch is its own",
      { closes: true, branch: 'issuewright/issue-16-2' },
      undefined,
    ],
    [
      'from a fork cannot pass for its own',
      { closes: true, isFromFork: true, branch: 'issuewright/issue-16' },
      { why: 'unproven' },
    ],
  ])('%s', (_name, of, expected) => {
    const one = { kind: 'pull_request', number: 20, state: 'open', ...expected };
    const all = expected === undefined ? [] : [one];
    expect(found({ pulls: [pull(of)] }, ['trusted'])).toEqual(all);
  });

  it('that was merged before the issue was reopened did not solve it', () => {
    const reopenedAt = '2030-01-13T00:00:00Z';
    expect(found({ reopenedAt, pulls: [pull(merged)], commits: [commit('Fixes #16')] })).toEqual(
      [],
    );
  });
});

describe('a commit on the default branch', () => {
  it.each<[string, object | undefined]>([
    ['Days\n\nFixes #16', CLEAR],
    ['closes: example/greeter#16', CLEAR],
    ['Resolved GH-16.', CLEAR],
    ['Prepare #16', { why: 'mentions' }],
    ['Fixes #160', undefined],
    ['Fixes other/greeter#16', undefined],
    ['Release 16', undefined],
    [`Revert "Days"\n\nThis reverts commit ${'b'.repeat(40)}. It said: Fixes #16`, undefined],
  ])('%j', (message, expected) => {
    const all = expected === undefined ? [] : [{ kind: 'commit', sha: SHA, ...expected }];
    expect(found({ commits: [commit(message)] })).toEqual(all);
  });

  it('counts neither once it is reverted, nor from before the issue', () => {
    const revert = commit(`Revert it\n\nThis reverts commit ${SHA}.`, { sha: 'c'.repeat(40) });
    expect(found({ commits: [revert, commit('Fixes #16')] })).toEqual([]);
    expect(found({ commits: [commit('Fixes #16', { at: '2030-01-01T00:00:00Z' })] })).toEqual([]);
  });
});

describe('a branch', () => {
  it.each(['16-days', 'issue-16', 'fix/16', 'octo/gh-16-days', 'issues/16', 'fix-16'])(
    '%s names the issue',
    (name) => expect(found({ branches: [name] })).toEqual([{ kind: 'branch', name }]),
  );
  it.each(['release-16', 'v16', '160-days', 'issuewright/issue-16', '16.x', '16-`x`', '2016-16'])(
    '%s does not',
    (name) => expect(found({ branches: [name] })).toEqual([]),
  );
  it('of a pull request is not said twice', () => {
    const pulls = [pull({ branch: '16-days', mentions: true })];
    expect(found({ pulls, branches: ['16-days'] })).toHaveLength(1);
  });
});

it('the permissions of those are asked whose pull requests from forks say that they close it', () => {
  const pulls = [
    pull({ closes: true, author: 'here' }),
    pull({ closes: true, isFromFork: true, author: 'there' }),
    pull({ closes: true, isFromFork: true, author: 'there', number: 21 }),
    pull({ mentions: true, isFromFork: true, author: 'talker' }),
  ];
  expect(claimants(around({ pulls }), ABOUT)).toEqual(['there']);
});

it('a crowd of pull requests is cut to five, and cannot hide the clear ones', () => {
  const crowd = Array.from({ length: 80 }, (_, at) => pull({ number: 30 + at, mentions: true }));
  const all = found({ pulls: [...crowd, pull({ closes: true })] });
  expect(all).toHaveLength(6);
  expect(all[0]).toMatchObject({ number: 20, isClear: true });
});

describe('titles', () => {
  it.each([
    ['Count long durations in days', 'feat: count durations in days'],
    ['Crash when the list is empty', 'Fix crash on empty lists'],
    ['Login button does nothing on Safari', 'fix(login): make the Login button work in Safari'],
    ['日付の表示が壊れている', '日付の表示が壊れている問題を修正'],
  ])('%j is like %j', (one, other) => {
    expect(similarity(one, other)).toBeGreaterThanOrEqual(0.6);
    expect(similarity(other, one)).toBe(similarity(one, other));
  });
  it.each([
    ['Count long durations in days', 'Translate the greeting'],
    ['Crash when the list is empty', 'Crash'],
    ['Fix the tests', 'Fix the docs'],
    ['Add support for Redis', 'Add support for Postgres'],
    ['Login button does nothing on Safari', 'Logout button is too small'],
    ['Bump lodash from 4.17.20 to 4.17.21', 'Bump express from 4.17.1 to 4.18.0'],
    ['', ''],
  ])('%j is not like %j', (one, other) => {
    expect(similarity(one, other)).toBeLessThan(0.6);
  });
});

import { describe, expect, it } from '@jest/globals';
import { branchOf } from '../../src/session/github-names.ts';
import type { Entry, NewEntry } from '../../src/session/entry.ts';
import { apply, fold } from '../../src/session/fold/fold.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';

const ASKER = { login: 'octo-maintainer', id: 5 };
const OPENED: NewEntry = {
  type: 'opened',
  installation: 1,
  repository: { id: 2, owner: 'example', name: 'thing' },
  issue: 7,
};

/** A journal of these entries, numbered from 1. */
const journal = (...entries: NewEntry[]): Entry[] =>
  [OPENED, ...entries].map((entry, index) => ({
    ...entry,
    seq: index + 1,
    at: `2030-01-01T00:00:${String(index).padStart(2, '0')}.000Z`,
  }));

const received = (intent: Extract<NewEntry, { type: 'received' }>['intent']): NewEntry => ({
  type: 'received',
  delivery: 'd',
  installation: 1,
  repository: { id: 2, owner: 'example', name: 'thing' },
  sender: ASKER,
  intent,
});
const START = received({ kind: 'start', label: 'issuewright', title: 'A title', body: '' });
const COMMENT = received({ kind: 'comment', on: 'issue', commentId: 9, body: 'The first.' });
const review = (verdict: 'approved' | 'changes_requested' | 'commented') =>
  received({ kind: 'review', pullRequest: 12, reviewId: 4, verdict, body: '' });
const admitted = (seq: number): NewEntry => ({ type: 'admitted', received: seq, lineComments: [] });
const taken = (upTo: number): NewEntry => ({ type: 'input_read', upTo, text: '' });
const started = (run = 1): NewEntry => ({ type: 'run_started', run });
const prepared = (baseCommit: string, run = 1): NewEntry => ({
  type: 'run_prepared',
  run,
  model: 'openai:m',
  destination: 'OpenAI (api.openai.com)',
  protocol: 'json',
  mode: 'agent',
  instructions: '',
  branch: 'issuewright/issue-7',
  baseBranch: 'main',
  baseCommit,
});
const ended = (kind: 'asked' | 'finished', run = 1): NewEntry => ({
  type: 'run_ended',
  run,
  end: { kind },
});
const did = (...effects: Extract<NewEntry, { type: 'call_finished' }>['effects']): NewEntry => ({
  type: 'call_finished',
  reply: 1,
  index: 0,
  ok: true,
  output: '',
  effects,
  halt: null,
});
const OPENED_PULL = did({
  type: 'pull_request',
  number: 8,
  url: 'u',
  title: 't',
  description: 's',
});
const closedPull = (merged: boolean) =>
  received({ kind: 'pull_request_closed', pullRequest: 8, merged });

const ASKED = [
  START,
  admitted(2),
  started(),
  prepared('c0'),
  taken(3),
  did({ type: 'question', text: '?' }),
  ended('asked'),
];
const IN_REVIEW = [
  START,
  admitted(2),
  started(),
  prepared('c0'),
  taken(3),
  OPENED_PULL,
  ended('finished'),
];

describe('the state of a session', () => {
  const cases: [string, NewEntry[], string, boolean][] = [
    ['the label has no verdict yet', [START], 'queued', false],
    [
      'the label was rejected',
      [START, { type: 'rejected', received: 2, reason: 'not_permitted' }],
      'ignored',
      false,
    ],
    ['the label was admitted', [START, admitted(2)], 'queued', true],
    ['a run is in progress', [START, admitted(2), started()], 'working', true],
    ['a question is open', ASKED, 'waiting(answer)', false],
    ['the answer was admitted', [...ASKED, COMMENT, admitted(9)], 'queued', true],
    [
      'the answer is by someone without permission',
      [...ASKED, COMMENT, { type: 'rejected', received: 9, reason: 'not_permitted' }],
      'waiting(answer)',
      false,
    ],
    ['the pull request waits', IN_REVIEW, 'waiting(review)', false],
    ['it was only commented on', [...IN_REVIEW, COMMENT, admitted(9)], 'waiting(review)', false],
    ['it was approved', [...IN_REVIEW, review('approved'), admitted(9)], 'waiting(review)', false],
    [
      'changes were requested',
      [...IN_REVIEW, review('changes_requested'), admitted(9)],
      'queued',
      true,
    ],
    ['it was merged', [...IN_REVIEW, closedPull(true)], 'done', false],
    [
      'it was merged while a run went on',
      [START, admitted(2), started(), prepared('c0'), taken(3), OPENED_PULL, closedPull(true)],
      'done',
      false,
    ],
    [
      'it was merged, and the issue closed after it',
      [...IN_REVIEW, closedPull(true), received({ kind: 'issue_closed', at: '' })],
      'done',
      false,
    ],
    [
      'the issue was closed, and it was merged after that',
      [...IN_REVIEW, received({ kind: 'issue_closed', at: '' }), closedPull(true)],
      'done',
      false,
    ],
    ['it was closed without a merge', [...IN_REVIEW, closedPull(false)], 'stopped', false],
    [
      'the issue was closed while it worked',
      [START, admitted(2), started(), received({ kind: 'issue_closed', at: '' })],
      'stopped',
      false,
    ],
    [
      'it was labelled again after that',
      [...IN_REVIEW, closedPull(false), START, admitted(10)],
      'queued',
      true,
    ],
    [
      'there was nothing to do',
      [START, admitted(2), started(), taken(3), ended('finished')],
      'done',
      false,
    ],
    [
      'a limit was reached',
      [
        START,
        admitted(2),
        started(),
        { type: 'run_ended', run: 1, end: { kind: 'limit', reason: 'x' } },
      ],
      'failed',
      false,
    ],
    [
      'it was labelled again after a failure',
      [
        START,
        admitted(2),
        started(),
        { type: 'run_ended', run: 1, end: { kind: 'failed', reason: 'x' } },
        START,
        admitted(6),
      ],
      'queued',
      true,
    ],
  ];
  it.each(cases)('when %s', (_when, entries, state, runs) => {
    const session = fold(journal(...entries));
    expect([stateOf(session), needsRun(session)]).toEqual([state, runs]);
  });
});

describe('a fold', () => {
  it('is the same entry by entry and all at once', () => {
    const entries = journal(...IN_REVIEW, review('changes_requested'), admitted(9), started(2));
    const [first, ...rest] = entries;
    expect(rest.reduce(apply, fold([first!]))).toEqual(fold(entries));
  });

  it('counts what was seen by its admission: a comment admitted late is not lost', () => {
    const session = fold(journal(START, COMMENT, admitted(2), taken(4), admitted(3)));
    expect(session.requests.unread.map(({ seq }) => seq)).toEqual([3]);
  });

  it('takes the first of two verdicts', () => {
    const session = fold(
      journal(START, admitted(2), { type: 'rejected', received: 2, reason: 'not_permitted' }),
    );
    expect(session.requests.unread).toHaveLength(1);
    expect(session.requests.rejected).toEqual([]);
  });

  it('gives a new branch after a closed pull request, and the old one otherwise', () => {
    expect(branchOf(fold(journal(...IN_REVIEW)))).toBe('issuewright/issue-7');
    expect(branchOf(fold(journal(...IN_REVIEW, closedPull(true))))).toBe('issuewright/issue-7-2');
  });
});

describe('what the agent does beyond files', () => {
  const named = did({ type: 'branch', suffix: 'greet-by-name' });

  it('names the branch, also after its pull request was closed, and opened again', () => {
    const session = fold(journal(START, admitted(2), started(), prepared('c0'), named));
    expect(branchOf(session)).toBe('issuewright/issue-7-greet-by-name');
    expect(session.run?.branch).toBe('issuewright/issue-7-greet-by-name');
    const closed = fold(journal(...IN_REVIEW, named, closedPull(false)));
    expect(branchOf(closed)).toBe('issuewright/issue-7-2-greet-by-name');
    const reopened = received({ kind: 'pull_request_reopened', pullRequest: 8 });
    expect(branchOf(fold(journal(...IN_REVIEW, named, closedPull(false), reopened)))).toBe(
      'issuewright/issue-7-greet-by-name',
    );
  });

  it('asks people to review one pull request, each of them once', () => {
    const asked = (pullRequest: number, ...from: string[]) =>
      did({ type: 'review_requested', pullRequest, reviewers: from });
    const session = fold(
      journal(...IN_REVIEW, asked(8, 'a', 'b'), asked(8, 'b', 'c'), asked(9, 'd')),
    );
    expect(session.thread.pullRequest?.reviewers).toEqual(['a', 'b', 'c']);
  });

  it('comments, counted for each run', () => {
    const said = did({ type: 'comment', issue: 3, url: 'u' });
    const entries = [START, admitted(2), started(), said, said];
    expect(fold(journal(...entries)).run?.comments).toBe(2);
    expect(fold(journal(...entries, ended('finished'), started(2))).run?.comments).toBe(0);
  });
});

describe('what happens in another order than usual', () => {
  const CLOSED = received({ kind: 'issue_closed', at: '' });

  it('a label that is judged after the issue was closed does not reopen it', () => {
    const session = fold(journal(START, CLOSED, admitted(2)));
    expect([stateOf(session), needsRun(session)]).toEqual(['stopped', false]);
  });

  it('a label that is judged after the merge starts no second branch', () => {
    const session = fold(journal(...IN_REVIEW, START, closedPull(true), admitted(9)));
    expect([stateOf(session), needsRun(session)]).toEqual(['done', false]);
  });

  it('a pull request that is reopened continues where it was', () => {
    const reopened = received({ kind: 'pull_request_reopened', pullRequest: 8 });
    const session = fold(journal(...IN_REVIEW, closedPull(false), reopened, closedPull(true)));
    expect(stateOf(fold(journal(...IN_REVIEW, closedPull(false), reopened)))).toBe(
      'waiting(review)',
    );
    expect([stateOf(session), branchOf(session)]).toEqual(['done', 'issuewright/issue-7-2']);
  });

  it('an App that is installed again is reached under its new installation', () => {
    const entries = journal(START, admitted(2), { ...COMMENT, installation: 99 } as NewEntry);
    expect(fold(entries).thread.installation).toBe(99);
  });

  it('a run that is deferred says why', () => {
    const deferred: NewEntry = {
      type: 'run_deferred',
      run: 1,
      reason: 'busy',
      until: '2030-01-01T10:30:00.000Z',
    };
    const session = fold(journal(START, admitted(2), started(), deferred));
    expect(session.run?.deferred).toMatchObject({ until: deferred.until, reason: 'busy' });
    expect(stateOf(session)).toBe('working');
    const resumed = { type: 'run_resumed', run: 1, seq: 6, at: '' } as const;
    expect(apply(session, resumed).run?.deferred).toBeUndefined();
  });
});

describe('what a run uses and who hears of it', () => {
  it('lists all receivers, the last one last and each once', () => {
    const to = (destination: string, run: number): NewEntry[] => [
      started(run),
      { ...prepared('c0', run), destination } as NewEntry,
    ];
    const entries = journal(START, admitted(2), ...to('A', 1), ...to('B', 2), ...to('A', 3));
    expect(fold(entries).spending.destinations).toEqual(['B', 'A']);
  });

  it('names the server of another model that reviews changes', () => {
    const reviewer = { model: 'gemini:flash', destination: 'Google' };
    const entries = [START, admitted(2), started(), { ...prepared('c0'), reviewer } as NewEntry];
    expect(fold(journal(...entries)).spending.reviewers).toEqual(['Google']);
  });

  it('is counted for summaries too, and known to be partial without a price', () => {
    const usage = { input: 10, cached: 4, written: 1, output: 2, reasoning: 1 };
    const compacted = (cost: number | null): NewEntry => ({
      type: 'compacted',
      upTo: 1,
      summary: '',
      usage,
      cost,
      durationMs: 1,
    });
    const session = fold(journal(compacted(0.5), compacted(null), compacted(0.25)));
    expect(session.spending.usage).toEqual({
      input: 30,
      cached: 12,
      written: 3,
      output: 6,
      reasoning: 3,
    });
    expect(session.spending.cost).toEqual({ dollars: 0.75, isPartial: true });
  });

  it('a comment continues an answered conversation', () => {
    const answered: NewEntry = { type: 'run_ended', run: 1, end: { kind: 'answered' } };
    const entries = [START, admitted(2), started(), prepared('c0'), taken(3), answered];
    expect(stateOf(fold(journal(...entries)))).toBe('done');
    const more = fold(journal(...entries, COMMENT, admitted(8)));
    expect([stateOf(more), needsRun(more)]).toEqual(['queued', true]);
  });
});

describe('uncommitted changes', () => {
  const commit = did({ type: 'commit', sha: 'c1', message: 'm', files: [] });

  it('count from the last commit', () => {
    const session = fold(journal(START, admitted(2), started(), prepared('c0'), taken(3), commit));
    expect([session.work.head, session.work.uncommittedSince]).toEqual(['c1', 7]);
  });

  it('count from what was saved when a limit was reached', () => {
    const effects = [{ type: 'commit', sha: 'c2', message: 'm', files: [] }] as const;
    const kept: NewEntry = { type: 'work_saved', run: 1, effects };
    const session = fold(journal(START, admitted(2), started(), prepared('c0'), kept));
    expect([session.work.head, session.work.uncommittedSince, session.work.commits.length]).toEqual(
      ['c2', 6, 1],
    );
  });

  it('still count from before a commit that left some of them out', () => {
    const some = did({ type: 'commit', sha: 'c1', message: 'm', files: [], partial: true });
    const before = [START, admitted(2), started(), prepared('c0'), taken(3)];
    expect(fold(journal(...before, some)).work).toMatchObject({ head: 'c1', uncommittedSince: 5 });
    const all = did({ type: 'commit', sha: 'c2', message: 'm', files: [] });
    expect(fold(journal(...before, some, all)).work).toMatchObject({
      head: 'c2',
      uncommittedSince: 8,
    });
  });

  it('are chosen for the next commit alone, and not on another commit', () => {
    const chosen = did({ type: 'staged', paths: ['a.txt'] });
    const before = [START, admitted(2), started(), prepared('c0'), taken(3)];
    expect(fold(journal(...before, chosen)).work.stagedPaths).toEqual(['a.txt']);
    expect(fold(journal(...before, chosen, commit)).work.stagedPaths).toBeUndefined();
    const all = did({ type: 'staged', paths: null });
    expect(fold(journal(...before, chosen, all)).work.stagedPaths).toBeUndefined();
    const next = (base: string) => fold(journal(...ASKED, chosen, started(2), prepared(base, 2)));
    expect([next('c0').work.stagedPaths, next('theirs').work.stagedPaths]).toEqual([
      ['a.txt'],
      undefined,
    ]);
  });

  it('are kept by a run that begins at the same commit', () => {
    const session = fold(journal(...ASKED, started(2), prepared('c0', 2)));
    expect([session.work.uncommittedSince, session.work.workspaceReplaced]).toEqual([5, false]);
  });

  it('are discarded, and the model is told, if people have pushed to the branch', () => {
    const session = fold(journal(...ASKED, started(2), prepared('theirs', 2)));
    expect([
      session.work.head,
      session.work.uncommittedSince,
      session.work.workspaceReplaced,
    ]).toEqual(['theirs', 10, true]);
    expect(apply(session, { ...taken(9), seq: 11, at: '' }).work.workspaceReplaced).toBe(false);
    const answer = { ...prepared('theirs', 2), mode: 'completion' } as NewEntry;
    expect(fold(journal(...ASKED, started(2), answer)).work.workspaceReplaced).toBe(false);
  });
});

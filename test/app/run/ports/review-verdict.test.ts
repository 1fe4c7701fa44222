// What reviews of pull requests of others may decide, and when that is taken back. GitHub is a fake that remembers what it was told.
import { describe, expect, it } from '@jest/globals';
import {
  reviewsFor,
  withdrawResolvedVerdicts,
} from '../../../../src/app/run/ports/reviews-of-others.ts';
import type { GivenReview } from '../../../../src/contracts/effect.ts';
import type { VerdictOfReview } from '../../../../src/contracts/forge.ts';
import type { FileDiff } from '../../../../src/contracts/git.ts';
import { GitHubDenied } from '../../../../src/github/errors.ts';
import type { GitHubRepository } from '../../../../src/github/repository.ts';
import type {
  FoundOwnThread,
  FoundPullRequest,
  ReviewRequest,
} from '../../../../src/github/reviews/others-pull-requests.ts';
import type { SessionScope } from '../../../../src/app/service/service.ts';
import { Journal } from '../../../support/journal.ts';

const ADOPTS = {
  number: 7,
  url: 'https://github.com/example/greeter/pull/7',
  title: 'Greet louder',
  author: 'ann',
  branch: 'louder',
  baseBranch: 'main',
};
const FILE: FileDiff = { path: 'a.js', status: 'modified', hunks: '@@ -1 +1 @@\n-a\n+b\n' };
const ADDRESS = 'https://github.test/r';

interface Case {
  readonly may?: VerdictOfReview;
  readonly adopts?: object;
  readonly now?: Partial<FoundPullRequest>;
  readonly role?: string;
  readonly files?: readonly FileDiff[];
  readonly paths?: readonly string[];
  readonly isStaleDismissed?: boolean;
  readonly given?: readonly Omit<GivenReview, 'url' | 'comments' | 'head'>[];
  readonly threads?: readonly Pick<
    FoundOwnThread,
    'root' | 'review' | 'isResolved' | 'resolvedBy'
  >[];
  readonly settled?: readonly number[];
  readonly remarks?: number;
  readonly again?: 'label' | 'pushed';
  readonly isByMention?: boolean;
  readonly hasCommits?: boolean;
  readonly denied?: boolean;
}

function journalOf({ adopts = {}, given = [], again = 'pushed', ...one }: Case): Journal {
  const journal = new Journal();
  const start = (review: 'label' | 'pushed') => {
    const intent = { kind: 'start', label: 'issuewright', title: '', body: '', review } as const;
    const received = journal.receive(intent).entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], adopts: { ...ADOPTS, ...adopts } });
    return journal.run();
  };
  if (one.isByMention === true) {
    journal.receive({ kind: 'comment', on: 'pull_request', commentId: 9, body: 'Review it.' });
    journal.add({
      type: 'admitted',
      received: journal.entries.length,
      lineComments: [],
      adopts: ADOPTS,
      ask: { for: 'work', alone: false },
    });
    return journal.run();
  }
  start('label');
  if (one.hasCommits === true)
    journal.effect({ type: 'commit', sha: 'c'.repeat(40), message: 'Ours', files: [] });
  for (const review of given)
    journal
      .effect({ type: 'review', url: ADDRESS, comments: 1, head: 'd'.repeat(40), ...review })
      .effect({ type: 'finish', outcome: 'done', summary: 'See.' }, 'finished')
      .end({ kind: 'finished' });
  if (given.length > 0) start(again);
  return journal;
}

/** What GitHub gets of a review that the model wants to be this. */
async function submit(verdict: VerdictOfReview, one: Case = {}) {
  const { session } = journalOf(one);
  const posted: ReviewRequest[] = [];
  const dismissed: number[] = [];
  const github = {
    pullRequest: async () => ({
      ...ADOPTS,
      isOpen: true,
      isMerged: false,
      isOwn: false,
      isByBot: false,
      isDraft: false,
      reviewers: [],
      head: session.work.head,
      ...one.now,
    }),
    permissionOf: async () => one.role ?? 'write',
    dismissesStaleApprovals: async () => one.isStaleDismissed ?? true,
    ownThreads: async () =>
      (one.threads ?? []).map((thread) => ({
        path: 'a.js',
        line: 1,
        body: 'x',
        replies: [],
        ...thread,
      })),
    resolveOwnThreads: async () => {},
    dismissReview: async ({ id }: { readonly id: number }) => {
      if (one.denied === true) throw new GitHubDenied('Branch protections do not permit it', 403);
      dismissed.push(id);
    },
    submitReview: async (request: ReviewRequest) => {
      posted.push(request);
      return { id: 99, url: ADDRESS };
    },
  } as unknown as GitHubRepository;
  const { submitReview } = reviewsFor({
    tracker: { id: 's', session },
    github,
    store: { publications: async () => [], savePublication: async () => 'saved' },
    pageUrl: () => undefined,
    changeUpTo: async (head) => (head === undefined ? (one.files ?? [FILE]) : []),
    paths: one.paths,
    may: one.may ?? 'approve',
    instructionFiles: ['TEAM.md'],
    redact: (text) => text.replaceAll('token-4711', '[redacted]'),
  });
  const remark = { path: 'a.js', line: 1, side: 'new', body: 'Wrong.' } as const;
  const answer = await submitReview({
    number: 7,
    summary: 'Fine.',
    verdict,
    remarks: Array.from({ length: one.remarks ?? 0 }, () => remark),
    settled: one.settled ?? [],
    at: new Date(0),
  });
  return { verdict: posted[0]?.verdict, body: JSON.stringify(posted[0]?.body), dismissed, answer };
}

const SEEN = { id: 1 } as const;
const BLOCKED = { id: 1, verdict: 'changes_requested' } as const;
const OPEN = { root: 11, review: 1, isResolved: false };

describe('a review approves', () => {
  it.each<[string, Case]>([
    ['what a writer opened here, if all of it was looked at', {}],
    ['a later version, if someone asked for all of it again', { given: [SEEN], again: 'label' }],
    [
      'a later version that settles its threads',
      { given: [SEEN], again: 'label', threads: [OPEN], settled: [1] },
    ],
  ])('%s', async (_name, one) => {
    const { verdict, answer } = await submit('approve', one);
    expect(verdict).toBe('approve');
    expect(answer).toMatchObject({ isPosted: true });
  });

  it('nothing when it looks at what is new', async () => {
    const { verdict, answer } = await submit('approve', { given: [SEEN] });
    expect(verdict).toBeUndefined();
    expect(answer).toMatchObject({ id: 1, comments: 0 });
  });
});

describe('a review that was to approve only comments, and says why', () => {
  const big = (length: number) => ({ ...FILE, hunks: `@@ -0,0 +1 @@\n+${'x'.repeat(length)}\n` });
  it.each<[string, Case, RegExp]>([
    ['on a fork', { adopts: { fork: 'eve/greeter' } }, /a fork/],
    ['on what a stranger opened', { role: 'read' }, /no write access/],
    ['on what a triager opened', { role: 'triage' }, /no write access/],
    ['on what a bot opened', { now: { isByBot: true } }, /no person here/],
    ['on its own', { now: { isOwn: true } }, /no person here/],
    ['on its own commits', { hasCommits: true }, /are mine/],
    ['if it was pushed to meanwhile', { now: { head: 'e'.repeat(40) } }, /changed meanwhile/],
    ['if its base was changed', { now: { baseBranch: 'release' } }, /changed meanwhile/],
    ['without a rule against stale approvals', { isStaleDismissed: false }, /no ruleset/],
    ['if a line is cut', { files: [big(2_001)] }, /not shown all/],
    [
      'if the diff is cut',
      { files: Array.from({ length: 40 }, () => big(1_900)) },
      /not shown all/,
    ],
    [
      'if something is hidden from the model',
      { files: [{ ...FILE, hunks: '@@ -0,0 +1 @@\n+token-4711\n' }] },
      /not shown all/,
    ],
    ['if a file is binary', { files: [FILE, { path: 'b.png', status: 'added' }] }, /not shown all/],
    [
      'if the settings leave a file out',
      { files: [FILE, { ...FILE, path: 'b.md' }], paths: ['*.js'] },
      /not shown all/,
    ],
    [
      'if GitHub may list no more files',
      { files: Array.from({ length: 300 }, (_, at) => ({ ...FILE, path: `${at}` })) },
      /not shown all/,
    ],
    ['if a thread is open', { given: [SEEN], again: 'label', threads: [OPEN] }, /threads are open/],
    ['on workflows', { files: [{ ...FILE, path: '.github/workflows/ci.yml' }] }, /workflows/],
    ['on the settings', { files: [{ ...FILE, path: '.github/issuewright.yml' }] }, /settings/],
    ['on code owners', { files: [{ ...FILE, path: 'CODEOWNERS' }] }, /code owners/],
    ['on REVIEW.md', { files: [{ ...FILE, path: 'REVIEW.md' }] }, /instructions/],
    ['on instructions of the settings', { files: [{ ...FILE, path: 'TEAM.md' }] }, /instructions/],
    [
      'on instructions that are moved away',
      { files: [{ ...FILE, from: 'REVIEW.md', path: 'b.md', status: 'renamed' }] },
      /instructions/,
    ],
  ])('%s', async (_name, one, why) => {
    const { verdict, body } = await submit('approve', one);
    expect(verdict).toBe('comment');
    expect(body).toMatch(/\*\*Not approved:\*\*/);
    expect(body).toMatch(why);
  });
});

describe('a review only comments', () => {
  it.each<[string, VerdictOfReview, Case]>([
    ['without a setting, whatever the model wants', 'approve', { may: 'comment' }],
    ['if the setting does not go so far', 'approve', { may: 'request_changes' }],
    ['without a setting, if the model blocks', 'request_changes', { may: 'comment', remarks: 1 }],
    ['if someone asked for it in words', 'approve', { isByMention: true }],
    [
      'if someone asked for it in words, and the model blocks',
      'request_changes',
      { isByMention: true, remarks: 1 },
    ],
    ['if nothing is left of what it blocks for', 'request_changes', {}],
  ])('%s', async (_name, verdict, one) => {
    const sent = await submit(verdict, one);
    expect(sent.verdict).toBe('comment');
    expect(sent.body).not.toContain('Not approved');
  });
});

describe('a request for changes', () => {
  it.each<[string, Case]>([
    [
      'is made on what a stranger opened from a fork',
      { adopts: { fork: 'eve/greeter' }, role: 'read' },
    ],
    ['is made if the setting goes so far', { may: 'request_changes' }],
  ])('%s', async (_name, one) => {
    expect((await submit('request_changes', { ...one, remarks: 1 })).verdict).toBe(
      'request_changes',
    );
  });

  it.each<[string, VerdictOfReview, Case, number[]]>([
    [
      'is dismissed once its threads are settled',
      'comment',
      { threads: [OPEN], settled: [1] },
      [1],
    ],
    [
      'is dismissed if people resolved its threads',
      'comment',
      { threads: [{ ...OPEN, isResolved: true }] },
      [1],
    ],
    ['is dismissed although the setting was taken away', 'comment', { may: 'comment' }, [1]],
    ['stays as long as one of its threads is open', 'comment', { threads: [OPEN] }, []],
    ['stays if another one takes its place', 'request_changes', { remarks: 1 }, []],
  ])('%s', async (_name, verdict, one, ids) => {
    const { dismissed } = await submit(verdict, { given: [BLOCKED], ...one });
    expect(dismissed).toEqual(ids);
  });

  it('that GitHub does not let it dismiss is named in a comment, although there is nothing else to say', async () => {
    const { verdict, body } = await submit('comment', { given: [BLOCKED], denied: true });
    expect(verdict).toBe('comment');
    expect(body).toContain('GitHub does not let me dismiss it');
  });
});

describe('an approval of an earlier version', () => {
  const approved = { id: 1, verdict: 'approved' } as const;
  it('is dismissed by a review that does not approve', async () => {
    expect((await submit('comment', { given: [approved], remarks: 1 })).dismissed).toEqual([1]);
  });

  it('is no verdict of a later look that says nothing', async () => {
    const { answer } = await submit('comment', { given: [approved] });
    expect(answer).toMatchObject({ id: 1, comments: 0 });
    expect(answer.verdict).toBeUndefined();
  });
});

describe('a request for changes, without a new review', () => {
  const resolved = {
    kind: 'review_thread',
    pullRequest: 7,
    root: 11,
    isResolved: true,
    at: '2026-11-01T10:00:00Z',
  } as const;

  /** The ids that are dismissed, and the entries that are added. */
  async function look(
    one: Pick<Case, 'given' | 'threads' | 'denied' | 'role'>,
    { isTold = true, runsSince = 0 } = {},
  ) {
    const journal = journalOf(one);
    if (isTold) journal.receive(resolved);
    for (let run = 0; run < runsSince; run += 1) journal.run();
    const dismissed: number[] = [];
    const added: object[] = [];
    await withdrawResolvedVerdicts({
      tracker: {
        session: journal.session,
        entries: journal.entries,
        append: async (entry: object) => void added.push(entry),
      },
      github: {
        ownThreads: async () => one.threads ?? [],
        permissionOf: async () => one.role ?? 'write',
        dismissReview: async ({ id }: { readonly id: number }) => {
          if (one.denied === true) throw new GitHubDenied('Branch protections', 403);
          dismissed.push(id);
        },
      },
      service: { log: { info: () => {} } },
    } as unknown as SessionScope);
    return { dismissed, added };
  }

  const NOTHING = { dismissed: [], added: [] };
  const block = { given: [BLOCKED], threads: [{ ...OPEN, isResolved: true }] };
  const LATER = { id: 2, verdict: 'changes_requested' } as const;
  const two = { given: [BLOCKED, LATER] };
  const ofLater = { root: 12, review: 2, isResolved: true };

  it('is dismissed once people have resolved its threads', async () => {
    expect(await look(block)).toEqual({
      dismissed: [1],
      added: [{ type: 'verdict_withdrawn', review: 1 }],
    });
  });

  it('is dismissed together with a later one', async () => {
    const threads = [{ ...OPEN, isResolved: true }, ofLater];
    expect((await look({ ...two, threads })).dismissed).toEqual([1, 2]);
  });

  it('is kept and noted if GitHub does not let the App dismiss it', async () => {
    expect(await look({ ...block, denied: true })).toEqual({
      dismissed: [],
      added: [{ type: 'verdict_withdrawn', review: 1, denied: true }],
    });
  });

  it.each([
    ['while one of its threads is open', { ...block, threads: [...block.threads, OPEN] }, {}],
    ['while a thread of an earlier one is open', { ...two, threads: [OPEN, ofLater] }, {}],
    [
      'if its threads were resolved by someone without write access, such as the author',
      { ...block, threads: [{ ...OPEN, isResolved: true, resolvedBy: 'ann' }], role: 'read' },
      {},
    ],
    ['if nobody told of a resolved thread', block, { isTold: false }],
    ['if a run has begun since, whose review decides', block, { runsSince: 1 }],
    [
      'that was none: an approval stays',
      { ...block, given: [{ ...BLOCKED, verdict: 'approved' }] },
      {},
    ],
  ] as const)('stays %s', async (_when, one, told) => {
    expect(await look(one, told)).toEqual(NOTHING);
  });

  it.each([
    ['is over once it was dismissed', {}, { verdict: undefined }],
    ['is not looked at again if it has to stay', { denied: true }, { isKept: true }],
  ] as const)('%s', (_what, more, expected) => {
    const journal = journalOf({ given: [BLOCKED] });
    journal.add({ type: 'verdict_withdrawn', review: 1, ...more });
    expect(journal.session.work.given).toMatchObject([expected]);
  });
});

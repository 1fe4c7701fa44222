// Who and what may have a pull request of someone else reviewed.
import { describe, expect, it } from '@jest/globals';
import { againstReview } from '../../../src/app/admission/review-requests.ts';
import type { Rules } from '../../../src/app/admission/settings.ts';
import type { Intent, Person, ReviewCause } from '../../../src/contracts/intent.ts';
import type { FileDiff } from '../../../src/contracts/git.ts';
import { readSettings } from '../../../src/session/settings/read.ts';
import { Journal } from '../../support/journal.ts';

const WRITERS = new Set(['ann', 'maintainer']);
const ADOPTS = {
  number: 7,
  url: 'https://github.com/example/greeter/pull/7',
  title: 'Greet louder',
  author: 'ann',
  branch: 'louder',
  baseBranch: 'main',
};
const HEADS = { old: 'a'.repeat(40), now: 'b'.repeat(40) };

interface Case {
  readonly settings?: string;
  readonly author?: string;
  readonly sender?: string;
  readonly isDraft?: boolean;
  readonly isOpen?: boolean;
  readonly isOwn?: boolean;
  readonly labels?: readonly string[];
  readonly reviewers?: readonly string[];
  readonly named?: string;
  readonly files?: readonly string[];
  readonly journal?: Journal;
  readonly allowedBots?: readonly string[];
}

function rulesIn(text: string): Rules {
  const read = readSettings(text);
  if ('fault' in read) throw new Error(read.fault);
  return read.settings;
}

function verdict(cause: ReviewCause, one: Case = {}) {
  const { settings = '', author = 'ann', sender = author, files = ['src/a.js'] } = one;
  const { labels = ['issuewright'], reviewers = ['machine'], journal = new Journal() } = one;
  const named = one.named ?? (cause === 'request' ? 'machine' : 'issuewright');
  const intent = {
    kind: 'start',
    label: cause === 'label' ? named : '',
    ...(cause === 'request' ? { assignee: named } : {}),
    title: '',
    body: '',
    review: cause,
  } satisfies Intent;
  const person: Person = { login: sender, id: 1, ...(sender.endsWith('[bot]') && { bot: true }) };
  const now = {
    ...ADOPTS,
    author,
    isOpen: one.isOpen ?? true,
    isMerged: false,
    isOwn: one.isOwn ?? false,
    isByBot: false,
    body: '',
    isDraft: one.isDraft ?? false,
    reviewers,
    head: HEADS.now,
  };
  const changed = files.map((path): FileDiff => ({ path, status: 'modified', hunks: '' }));
  const received = { seq: 99, when: { at: '', seq: 99 }, sender: person, intent, since: {} };
  return againstReview(received, intent, {
    github: {
      appSlug: async () => 'issuewright',
      pullRequest: async () => now,
      issueState: async () => ({ labels }) as never,
      permissionOf: async (login) => (WRITERS.has(login) ? 'write' : 'read'),
      changeSince: async () => ({ commits: [], files: changed }),
    },
    tracker: journal,
    texts: { fetchedIssue: () => {} },
    rules: rulesIn(settings),
    allowedBots: one.allowedBots ?? [],
    permissions: new Map(),
  });
}

/** Reviewed at an earlier head, for this cause. */
function reviewed(cause: ReviewCause = 'label', head = HEADS.old, looks = 0): Journal {
  const label = cause === 'label' ? 'issuewright' : '';
  const journal = new Journal();
  const start = { kind: 'start', label, title: '', body: '', review: cause } as const;
  const received = journal.receive(start).entries.length;
  journal.add({ type: 'admitted', received, lineComments: [], adopts: ADOPTS });
  for (let run = 0; run <= looks; run += 1)
    journal
      .run()
      .effect({ type: 'review', url: 'https://github.test/r', comments: 0, head, id: 1 + run })
      .end({ kind: 'finished' });
  return journal;
}

const OPENED = 'review: opened';

describe('a review is made', () => {
  it.each<[string, ReviewCause, Case]>([
    [
      'for the label of a writer on what a stranger opened',
      'label',
      { author: 'eve', sender: 'ann' },
    ],
    ['for a request of a writer', 'request', { author: 'eve', sender: 'ann' }],
    ['for the label in another case', 'label', { named: 'Issuewright' }],
    ['of what a writer opened, if the settings say so', 'opened', { settings: OPENED }],
    ['of a draft', 'opened', { settings: OPENED, isDraft: true }],
    ['of what is opened ready', 'opened', { settings: 'review: ready' }],
    ['of a draft that is ready', 'ready', { settings: 'review: {when: opened, drafts: false}' }],
    [
      'of an allowed bot’s',
      'opened',
      { settings: OPENED, author: 'up[bot]', allowedBots: ['up[bot]'] },
    ],
    ['of what the globs match', 'opened', { settings: 'review: {when: opened, paths: [src]}' }],
    [
      'after a push to what the label was added to',
      'pushed',
      { author: 'eve', journal: reviewed() },
    ],
    [
      'after a push to what was opened',
      'pushed',
      { settings: OPENED, journal: reviewed('opened') },
    ],
    ['for the label again', 'label', { journal: reviewed('label', HEADS.now) }],
  ])('%s', async (_name, cause, one) => {
    expect(await verdict(cause, one)).toBeUndefined();
  });
});

describe('no review is made', () => {
  it.each<[string, ReviewCause, Case, string]>([
    ['for the label of a stranger', 'label', { sender: 'eve' }, 'not_permitted'],
    ['for a request of a stranger', 'request', { sender: 'eve' }, 'not_permitted'],
    ['for the label of a bot', 'label', { sender: 'up[bot]' }, 'not_permitted'],
    ['for another label', 'label', { named: 'bug' }, 'other_label'],
    ['for a label that is gone', 'label', { labels: [] }, 'outdated'],
    ['for a request that is taken back', 'request', { reviewers: [] }, 'outdated'],
    ['for the label where reviews are off', 'label', { settings: 'review: off' }, 'reviews_off'],
    [
      'for the label of a stranger where reviews are off',
      'label',
      { settings: 'review: off', sender: 'eve' },
      'not_permitted',
    ],
    ['for a request where reviews are off', 'request', { settings: 'review: off' }, 'reviews_off'],
    [
      'for another label where reviews are off',
      'label',
      { settings: 'review: off', named: 'bug', labels: ['bug'] },
      'other_label',
    ],
    ['of what is opened where reviews are off', 'opened', { settings: 'review: off' }, 'no_review'],
    ['of what is closed', 'label', { isOpen: false }, 'outdated'],
    ['of its own', 'label', { isOwn: true }, 'own_pull_request'],
    ['of what is opened, unless the settings say so', 'opened', {}, 'no_review'],
    ['of what a stranger opened', 'opened', { settings: OPENED, author: 'eve' }, 'no_review'],
    [
      'of what a writer marks as ready for a stranger',
      'ready',
      { settings: OPENED, author: 'eve', sender: 'ann' },
      'no_review',
    ],
    [
      'of a draft, if it is to be ready',
      'opened',
      { settings: 'review: ready', isDraft: true },
      'no_review',
    ],
    [
      'of a draft, without drafts',
      'pushed',
      {
        settings: 'review: {when: opened, drafts: false}',
        isDraft: true,
        journal: reviewed('opened'),
      },
      'no_review',
    ],
    [
      'of what no glob matches',
      'opened',
      { settings: 'review: {when: opened, paths: [docs]}' },
      'no_review',
    ],
    ['of a bot’s', 'opened', { settings: OPENED, author: 'up[bot]' }, 'no_review'],
    ['after a push before any review', 'pushed', { settings: OPENED }, 'no_review'],
    [
      'after a stranger’s push to what was opened',
      'pushed',
      { settings: OPENED, author: 'eve', journal: reviewed('opened') },
      'no_review',
    ],
    [
      'after a push that changed nothing',
      'pushed',
      { journal: reviewed('label', HEADS.now) },
      'no_review',
    ],
    [
      'after too many pushes',
      'pushed',
      { settings: 'limits: {review_rounds: 2}', journal: reviewed('label', HEADS.old, 2) },
      'no_review',
    ],
    [
      'twice of one commit, because it is ready',
      'ready',
      { settings: OPENED, journal: reviewed('opened', HEADS.now) },
      'no_review',
    ],
  ])('%s', async (_name, cause, one, reason) => {
    expect(await verdict(cause, one)).toBe(reason);
  });

  it('after a push once someone stopped them', async () => {
    const journal = reviewed().command('stop');
    expect(await verdict('pushed', { journal })).toBe('no_review');
  });
});

import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '../../src/events/index.ts';
import { example, read, readAll } from './examples.ts';

describe('every event that means something', () => {
  const NAMES = EVENTS.map(({ name }) => name);

  it.each(NAMES)('%s is read from GitHub’s own example', (name) => {
    expect(read(name, example(name))).toMatchObject({
      installation: 7,
      repository: { id: expect.any(Number), owner: expect.any(String), name: expect.any(String) },
      sender: { login: 'maintainer', id: 5 },
      meaning: expect.stringMatching(/^\w+:.+/),
    });
  });

  it.each(NAMES)('%s without an installation is not ours', (name) => {
    expect(read(name, example(name, { installation: undefined }))).toBeUndefined();
  });

  it.each(NAMES)('%s means the same however often it is delivered', (name) => {
    expect(read(name, example(name))?.meaning).toBe(read(name, example(name))?.meaning);
  });
});

describe('a button of our check run', () => {
  const NAME = 'check_run.requested_action';
  const press = (identifier: string, sender = { login: 'maintainer', id: 5 }) =>
    read(NAME, example(NAME, { requested_action: { identifier }, sender }));

  it.each(['fix', 'resolve', 'stop'])(
    '%s is what its sender asks for, on that commit',
    (action) => {
      expect(press(`${action}-3`)).toMatchObject({
        thread: { on: 'issue', number: 7 },
        sender: { login: 'maintainer' },
        intent: { kind: 'check_action', action, sha: expect.stringMatching(/^[0-9a-f]{40}$/) },
      });
    },
  );

  it('that is not ours, or is on another branch, means nothing', () => {
    for (const identifier of ['fix', 'rerun-1', 'constructor-1', 'stop-', 'lgtm|26764'])
      expect(press(identifier)).toBeUndefined();
    const { check_run: run } = example(NAME) as { check_run: { check_suite: object } };
    const elsewhere = { ...run, check_suite: { ...run.check_suite, head_branch: 'changes' } };
    expect(read(NAME, example(NAME, { check_run: elsewhere }))).toBeUndefined();
  });

  it('means something else for another person, and each time that it is offered', () => {
    const meanings = [
      press('stop-1'),
      press('stop-2'),
      press('stop-1', { login: 'other', id: 6 }),
    ].map((arrival) => arrival?.meaning);
    expect(new Set(meanings).size).toBe(3);
  });

  it.each(['check_run.rerequested', 'check_suite.rerequested'])('%s asks again', (name) => {
    expect(read(name, example(name))?.intent).toMatchObject({ action: 'rerun' });
  });
});

describe('a pull request', () => {
  const NAMES = ['labeled', 'review_requested', 'opened', 'ready_for_review', 'synchronize'];
  const start = (action: string, changes: object = {}) => {
    const name = `pull_request.${action}`;
    const payload = example(name);
    const pull = { ...(payload['pull_request'] as object), state: 'open', ...changes };
    return readAll(name, { ...payload, pull_request: pull }).find(
      ({ intent }) => intent.kind === 'start',
    );
  };

  it.each(NAMES)('may be reviewed after %s: who may ask is looked up later', (action) => {
    expect(start(action)).toMatchObject({
      thread: { on: 'pull_request' },
      intent: { kind: 'start', review: expect.any(String) },
    });
  });

  it.each(NAMES)('that is closed, or on a branch of the App, asks for nothing by %s', (action) => {
    expect(start(action, { state: 'closed' })).toBeUndefined();
    const ours = { ref: 'issuewright/issue-7', repo: { id: 3 } };
    expect(start(action, { head: ours, base: { repo: { id: 3 } } })).toBeUndefined();
  });

  it('whose team is asked for a review is reviewed by that team', () => {
    const payload = example('pull_request.review_requested', { requested_reviewer: undefined });
    expect(readAll('pull_request.review_requested', payload)).toEqual([]);
  });
});

describe('bots', () => {
  const bot = { sender: { login: 'helper[bot]', id: 6, type: 'Bot' } };

  it.each([
    'issues.labeled',
    'issue_comment.created',
    'pull_request_review.submitted',
    'check_run.rerequested',
  ])('are marked with %s: who receives it knows which of them may ask', (name) =>
    expect(read(name, example(name, bot))?.sender).toMatchObject({ bot: true }),
  );

  it.each(['pull_request.closed', 'issues.closed'])('may end the work with %s', (name) => {
    expect(read(name, example(name, bot))?.sender).toEqual({ login: 'helper[bot]', id: 6 });
  });
});

describe('a label', () => {
  it('on an issue asks for work, with the words of that moment', () => {
    const payload = example('issues.labeled');
    Object.assign(payload['issue'] as object, { title: 'A title', body: null, state: 'open' });
    expect(read('issues.labeled', payload)?.intent).toEqual({
      kind: 'start',
      label: (payload['label'] as { name: string }).name,
      title: 'A title',
      body: '',
      at: '2019-05-15T15:20:18Z',
      atOpening: true,
      author: { login: 'Codertocat', id: 21031067 },
    });
  });

  it("names no author if the issue is the sender's own", () => {
    const payload = example('issues.labeled');
    Object.assign(payload['sender'] as object, { id: 21031067 });
    expect(read('issues.labeled', payload)?.intent).not.toHaveProperty('author');
  });

  it('on a closed issue asks for nothing', () => {
    const payload = example('issues.labeled');
    Object.assign(payload['issue'] as object, { state: 'closed' });
    expect(read('issues.labeled', payload)).toBeUndefined();
  });
});

describe('an issue type', () => {
  it('asks for work if the issue is open, and takes it back', () => {
    const payload = example('issues.typed');
    Object.assign(payload['issue'] as object, { state: 'open' });
    expect(read('issues.typed', payload)?.intent).toMatchObject({
      kind: 'start',
      label: '',
      type: 'Bug',
    });
    Object.assign(payload['issue'] as object, { state: 'closed' });
    expect(read('issues.typed', payload)).toBeUndefined();
    expect(read('issues.untyped', example('issues.untyped'))?.intent).toMatchObject({
      kind: 'untyped',
      type: 'Bug',
    });
  });
});

describe('an issue that is opened', () => {
  const opened = (labels: readonly string[], changes = {}) => {
    const payload = example('issues.opened');
    const named = labels.map((name) => ({ name }));
    Object.assign(payload['issue'] as object, { labels: named, user: { id: 5 }, ...changes });
    return { payload, arrivals: readAll('issues.opened', payload) };
  };

  it('with labels says what the event of each label says', () => {
    const { payload, arrivals } = opened(['bug', 'issuewright']);
    const labelled = ['bug', 'issuewright'].map((name) =>
      read('issues.labeled', { ...payload, action: 'labeled', label: { name } }),
    );
    expect(arrivals).toEqual(labelled);
  });

  it('with a type says what the event of the type says', () => {
    const type = { id: 411, name: 'Bug' };
    const { payload, arrivals } = opened([], { type });
    const typed = read('issues.typed', { ...payload, action: 'typed', type });
    expect(arrivals).toEqual([typed]);
  });

  it('with none says nothing', () => {
    expect(opened([]).arrivals).toEqual([]);
  });

  it('with words that may ask for work says so', () => {
    const body = 'Over to you, @example-app';
    expect(opened([], { body }).arrivals).toMatchObject([
      { intent: { kind: 'start', label: '', body, addressed: true } },
    ]);
    expect(opened([], { body: 'Nobody is named.' }).arrivals).toEqual([]);
  });

  it.each([
    ['another person wrote', { id: 6 }],
    ['nobody wrote', null],
    ['a deleted account wrote', undefined],
  ])('by someone who moves it here asks for nothing with words that %s', (_what, user) => {
    const body = 'Over to you, @example-app';
    expect(opened([], { body, user }).arrivals).toEqual([]);
  });
});

describe('an assignment', () => {
  it('asks for work by the name of the account, and says when it is taken back', () => {
    const payload = example('issues.assigned');
    Object.assign(payload['issue'] as object, { title: 'A title', body: null, state: 'open' });
    const { login } = payload['assignee'] as { login: string };
    expect(read('issues.assigned', payload)?.intent).toMatchObject({
      kind: 'start',
      label: '',
      assignee: login,
      title: 'A title',
    });
    expect(read('issues.unassigned', { ...payload, action: 'unassigned' })?.intent).toEqual({
      kind: 'unassigned',
      assignee: login,
      at: '2019-05-15T15:20:18Z',
    });
  });

  it.each([{ state: 'closed' }, { pull_request: {} }])('of %j asks for nothing', (changes) => {
    const payload = example('issues.assigned');
    Object.assign(payload['issue'] as object, { state: 'open', ...changes });
    expect(read('issues.assigned', payload)).toBeUndefined();
  });
});

describe('a label that is removed', () => {
  it('is reported with its name, whoever removed it', () => {
    const bot = { sender: { login: 'helper[bot]', id: 6, type: 'Bot' } };
    const arrival = read('issues.unlabeled', example('issues.unlabeled', bot));
    expect(arrival?.intent).toEqual({
      kind: 'unlabeled',
      label: 'bug',
      at: '2019-05-15T15:20:26Z',
    });
  });
});

describe('a comment', () => {
  it('that may request something comes with the current issue', () => {
    const payload = example('issue_comment.created');
    Object.assign(payload['comment'] as object, { body: '@example-app please' });
    Object.assign(payload['issue'] as object, { title: 'T', body: 'B', state: 'open' });
    expect(read('issue_comment.created', payload)?.intent).toMatchObject({
      addressed: true,
      thread: { title: 'T', body: 'B', isOpen: true },
    });
  });

  it('that asks for nothing comes without it', () => {
    const intent = read('issue_comment.created', example('issue_comment.created'))?.intent;
    expect(intent).not.toHaveProperty('addressed');
    expect(intent).not.toHaveProperty('thread');
  });

  it('that a person wrote through some App is the person’s', () => {
    const payload = example('issue_comment.created');
    Object.assign(payload['comment'] as object, { performed_via_github_app: { id: 3 } });
    expect(read('issue_comment.created', payload)?.sender.login).toBe('maintainer');
  });

  it('knows whether it is on an issue or on a pull request', () => {
    const payload = example('issue_comment.created');
    expect(read('issue_comment.created', payload)?.thread.on).toBe('issue');
    Object.assign(payload['issue'] as object, { pull_request: { url: 'https://example.com' } });
    expect(read('issue_comment.created', payload)?.thread.on).toBe('pull_request');
  });
});

describe('a review with comments on lines', () => {
  const reviewed = (review: object) => {
    const payload = example('pull_request_review.submitted');
    Object.assign(payload['review'] as object, { id: 77, ...review });
    return payload;
  };
  const commented = (pull: unknown, review: number | null, body = 'Why?') => {
    const payload = example('pull_request_review_comment.created', { pull_request: pull });
    Object.assign(payload['comment'] as object, { pull_request_review_id: review, body });
    return read('pull_request_review_comment.created', payload);
  };

  it('means one thing in all of its events, whichever comes first', () => {
    const payload = reviewed({ state: 'changes_requested', body: 'See below.' });
    const review = read('pull_request_review.submitted', payload);
    const comment = commented(payload['pull_request'], 77);
    expect(comment?.meaning).toBe(review?.meaning);
    expect(review?.intent).toMatchObject({ reviewId: 77, verdict: 'changes_requested' });
    expect(comment?.intent).toMatchObject({ kind: 'review', reviewId: 77, body: '' });
    expect(comment?.intent).not.toHaveProperty('verdict');
    expect(commented(payload['pull_request'], 78)?.meaning).not.toBe(review?.meaning);
  });

  it('may ask for something in its words, or in the comment that comes first', () => {
    const payload = reviewed({ state: 'commented', body: '@issuewright look' });
    const pull = payload['pull_request'];
    Object.assign(pull as object, { title: 'T', body: null, state: 'open' });
    const addressed = { addressed: true, thread: { title: 'T', body: '', isOpen: true } };
    expect(read('pull_request_review.submitted', payload)?.intent).toMatchObject(addressed);
    const comment = commented(pull, 77, 'So, @issuewright?');
    expect(comment).toMatchObject({
      says: 'So, @issuewright?',
      intent: { ...addressed, body: '' },
    });
    expect(commented(pull, 77)?.intent).not.toHaveProperty('addressed');
  });

  it('means nothing while its review does not exist', () => {
    const { pull_request: pull } = reviewed({});
    expect(commented(pull, null)).toBeUndefined();
  });

  it.each(['resolved', 'unresolved'])('may have a thread that is %s', (action) => {
    const name = `pull_request_review_thread.${action}`;
    const payload = example(name);
    const { comments } = payload['thread'] as { comments: { id: number }[] };
    expect(read(name, payload)?.intent).toMatchObject({
      kind: 'review_thread',
      root: comments[0]?.id,
      isResolved: action === 'resolved',
    });
  });
});

describe('a closed pull request', () => {
  it.each([true, false])('says whether it was merged: %s', (merged) => {
    const payload = example('pull_request.closed');
    Object.assign(payload['pull_request'] as object, { merged });
    expect(read('pull_request.closed', payload)?.intent).toMatchObject({ merged });
  });
});

describe('an edit', () => {
  const author = { id: 5, login: 'ann', type: 'User' };
  const edited = (name: 'issue_comment.edited' | 'pull_request_review.edited', by: object) => {
    const payload = example(name, { sender: by });
    for (const part of ['comment', 'review'])
      if (part in payload)
        Object.assign(payload[part] as object, { id: 77, body: 'Now.', user: author });
    return read(name, payload);
  };

  it('of a comment or review says what it is now, if its author made it', () => {
    expect(edited('issue_comment.edited', author)?.intent).toEqual({
      kind: 'edited',
      in: { on: 'comment', id: 77 },
      body: 'Now.',
      at: '2019-05-15T15:20:22Z',
    });
    expect(edited('pull_request_review.edited', author)?.intent).toMatchObject({
      kind: 'edited',
      in: { on: 'review', id: 77 },
      body: 'Now.',
    });
  });

  it('that mentions an App says what it is on, since it may ask for something', () => {
    const payload = example('issue_comment.edited', { sender: author });
    Object.assign(payload['comment'] as object, { id: 77, body: '@issuewright go', user: author });
    const { title, body } = payload['issue'] as { title: string; body: string };
    expect(read('issue_comment.edited', payload)?.intent).toMatchObject({
      kind: 'edited',
      addressed: true,
      on: 'issue',
      thread: { title, body, isOpen: true },
    });
  });

  it('by someone else means nothing', () => {
    const other = { id: 6, login: 'bob', type: 'User' };
    expect(edited('issue_comment.edited', other)).toBeUndefined();
    expect(edited('pull_request_review.edited', other)).toBeUndefined();
  });
});

describe('a merge queue', () => {
  const left = (reason: string) =>
    read('pull_request.dequeued', example('pull_request.dequeued', { reason }))?.intent;

  it('takes a pull request out because checks failed, and other reasons mean nothing', () => {
    expect(left('CI_FAILURE')).toMatchObject({ kind: 'dequeued' });
    for (const reason of ['MANUAL', 'MERGE', 'MERGE_CONFLICT', 'QUEUE_CLEARED'])
      expect(left(reason)).toBeUndefined();
  });
});

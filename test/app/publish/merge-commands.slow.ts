// What people ask for about merges that GitHub makes by itself, on the local GitHub and a real database.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { answerMergeCommands } from '../../../src/app/publish/command-answers.ts';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const ON = '/issuewright merge when ready';
const OFF = '/issuewright do not merge';
const FILES = { '.github/issuewright.yml': 'merge_when_ready: true\n' };

let service: Service;
let pulls = 0;
beforeAll(async () => {
  service = await openService(FILES);
  const { github, repository } = service;
  repository.collaborators.set('writer', 'write');
  github.as('maintainer').addRuleset(repository, {
    name: 'Reviews',
    enforcement: 'active',
    conditions: { ref_name: { include: ['~DEFAULT_BRANCH', 'refs/heads/queued*'] } },
    bypass_actors: [{ actor_type: 'RepositoryRole', actor_id: 5 }],
    rules: [{ type: 'pull_request', parameters: { required_approving_review_count: 1 } }],
  });
  github.as('maintainer').changeMergeSettings(repository, { allow_auto_merge: true });
});
afterAll(() => service.close());

interface Wanted {
  readonly base?: string;
  readonly draft?: boolean;
}

/** A pull request of someone else, and what people say on it. */
async function pullRequest({ base = 'main', draft = false }: Wanted = {}) {
  const { github, repository } = service;
  const maintainer = github.as('maintainer');
  const branch = `change-${(pulls += 1)}`;
  const push = (file: string) =>
    maintainer.push(repository, { branch, files: { [file]: 'x\n' }, message: 'Change' });
  await push('a.txt');
  const pull = await maintainer.openPull(repository, { title: branch, head: branch, base, draft });
  const { number } = pull;
  const heard = (login: string, words: string) => service.comment(number, login, words);
  const say = async (words: string, login = 'writer'): Promise<string> => {
    const id = await heard(login, words);
    await service.sessionOf(pull, id).publish();
    return told().at(-1) ?? '';
  };
  const comments = () => repository.comments.filter((one) => one.issueNumber === number);
  /** What the App commented, without its markers. */
  const told = (): string[] =>
    comments()
      .filter(({ author }) => author.login === 'issuewright[bot]')
      .map(({ body }) => body.replaceAll(/<!--.*?-->/gs, '').trim());
  const reactions = (): string[] =>
    comments().flatMap(({ reactions: given }) => given.map(({ content }) => content));
  return {
    ...pull,
    say,
    heard,
    push,
    reactions,
    told,
    approve: () => github.as('writer').review({ repository, number }, { event: 'APPROVE' }),
    method: () => pull.pull.autoMerge?.method,
    merged: () => github.waitFor(() => pull.pull.merged !== undefined, { what: 'the merge' }),
    session: (id: string) => service.sessionOf(pull, id),
  };
}

/** Each time that GitHub was told to merge by itself, and took that. */
const enabled = (number: number): number =>
  service.github.deliveries.filter(
    ({ action, payload }) => action === 'auto_merge_enabled' && payload['number'] === number,
  ).length;

describe('merge when ready', () => {
  it('is switched on once, and GitHub merges after the review', async () => {
    const pull = await pullRequest();
    expect(await pull.say(ON)).toMatch(/^@writer Auto-merge is on: GitHub merges/);
    expect(pull.method()).toBe('merge');
    await pull.say(ON);
    await service.github.webhooksSent();
    expect(enabled(pull.number)).toBe(1);
    expect(pull.reactions()).toEqual(['+1', '+1']);
    await pull.approve();
    await pull.merged();
    expect(await pull.say(ON)).toMatch(/merged already/);
  });

  it('takes the first method that the repository and its rules allow', async () => {
    const maintainer = service.github.as('maintainer');
    maintainer.changeMergeSettings(service.repository, { allow_merge_commit: false });
    const pull = await pullRequest();
    await pull.say(ON);
    expect(pull.method()).toBe('squash');
    maintainer.changeMergeSettings(service.repository, { allow_merge_commit: true });
  });

  it('is ended by its command, and by a stop', async () => {
    const pull = await pullRequest();
    expect(await pull.say(OFF)).toMatch(/Auto-merge is not on/);
    await pull.say(ON);
    expect(await pull.say(OFF)).toMatch(/^@writer Auto-merge is off/);
    expect(pull.method()).toBeUndefined();
    await pull.say(ON);
    expect(await pull.say('/issuewright stop')).toMatch(/^@writer Auto-merge is off/);
    expect(pull.method()).toBeUndefined();
    expect(pull.reactions()).toEqual(['confused', '+1', '+1', '+1', '+1']);
  });

  it('says what is missing', async () => {
    const maintainer = service.github.as('maintainer');
    const draft = await pullRequest({ draft: true });
    expect(await draft.say(ON)).toMatch(/is a draft/);
    await maintainer.push(service.repository, { branch: 'free', files: { b: 'x' }, message: 'B' });
    const free = await pullRequest({ base: 'free' });
    expect(await free.say(ON)).toMatch(/No rule protects the base branch/);
    const ready = await pullRequest();
    await ready.approve();
    expect(await ready.say(ON)).toMatch(/can be merged now/);
    const forbidden = await pullRequest();
    maintainer.changeMergeSettings(service.repository, { allow_auto_merge: false });
    expect(await forbidden.say(ON)).toMatch(/does not allow auto-merge/);
    maintainer.changeMergeSettings(service.repository, { allow_auto_merge: true });
    const issue = service.open('No pull request');
    const id = await service.comment(issue.number, 'writer', ON);
    await service.sessionOf(issue, id).publish();
    expect(service.repository.comments.at(-1)?.body).toMatch(/There is no pull request to merge/);
    expect([draft, free, ready, forbidden].map(({ method }) => method())).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is for a merge queue too, which takes what is ready', async () => {
    const { github, repository } = service;
    const maintainer = github.as('maintainer');
    await maintainer.push(repository, { branch: 'queued', files: { q: 'x' }, message: 'Q' });
    maintainer.addRuleset(repository, {
      name: 'Queue',
      enforcement: 'active',
      conditions: { ref_name: { include: ['refs/heads/queued'] } },
      rules: [{ type: 'merge_queue' }],
    });
    const pull = await pullRequest({ base: 'queued' });
    await pull.approve();
    expect(await pull.say(ON)).toMatch(/is in the merge queue/);
    await pull.merged();
  });
});

describe('an attack on a merge', () => {
  it('by a stranger, whose comment says so from the start or after an edit, has no effect', async () => {
    const pull = await pullRequest();
    expect(await pull.say(ON, 'stranger')).toMatch(/only someone with write access can give me/);
    const { id } = service.github
      .as('stranger')
      .comment({ repository: service.repository, number: pull.number }, 'Hello @issuewright');
    service.github.as('stranger').editComment(service.repository, id, ON);
    const edited = { kind: 'edited', in: { on: 'comment', id }, body: ON } as const;
    const about = { title: pull.title, body: '', isOpen: true };
    const session = pull.session(await pull.heard('stranger', 'Hello'));
    await session.happens('stranger', {
      ...edited,
      at: new Date().toISOString(),
      addressed: true,
      on: 'pull_request',
      thread: about,
    });
    await session.publish();
    expect(pull.method()).toBeUndefined();
  });

  it('by a bot that may ask for work has no effect', async () => {
    const pull = await pullRequest();
    service.allowedBots.push('good[bot]');
    await pull.say(ON, 'Good[bot]');
    expect(pull.method()).toBeUndefined();
    expect(pull.told()).toEqual([]);
  });

  it('by words of the model has no effect, since the App does not hear itself', async () => {
    const pull = await pullRequest();
    await pull.say(ON, 'issuewright[bot]').catch(() => undefined);
    expect(pull.method()).toBeUndefined();
  });

  it('by a commit that comes between the command and what is done for it has no effect', async () => {
    const pull = await pullRequest();
    const id = await pull.heard('writer', ON);
    const { store } = service;
    const session = pull.session(id);
    await session.publish();
    const tracker = await JournalTracker.open(store, id);
    const before = tracker.entries.filter(({ type }) => type !== 'merge_answered');
    await pull.say(OFF);
    await pull.push('slipped-in.txt');
    const again: unknown[] = [];
    await answerMergeCommands(service.access(), {
      session: tracker.session,
      entries: before,
      append: async (entry) => {
        again.push(entry);
        return { ...entry, seq: 0, at: '' };
      },
    });
    expect(again).toEqual([
      expect.objectContaining({ answer: { kind: 'not_on', because: 'head_moved' } }),
    ]);
    expect(pull.method()).toBeUndefined();
  });

  it('by a commit that comes between the look and the switch has no effect either', async () => {
    const pull = await pullRequest();
    const held = service.github.faults.hold({ method: 'GET', path: /\/rules\/branches\// });
    const answer = pull.say(ON);
    await held.applied;
    await pull.push('slipped-in.txt');
    held.release();
    expect(await answer).toMatch(/got another commit after you asked/);
    expect(pull.method()).toBeUndefined();
  });

  it('by a command that is read much later has no effect', async () => {
    const pull = await pullRequest();
    const id = await pull.heard('writer', ON);
    service.letPass(3_600_000);
    await pull.session(id).publish();
    service.resetClock();
    expect(pull.told().at(-1)).toMatch(/I read that too late/);
    expect(pull.method()).toBeUndefined();
  });

  it('by other words beside the command is asked about', async () => {
    const pull = await pullRequest();
    expect(await pull.say(`${ON} and delete the rules`)).toMatch(
      /Did you mean `\/issuewright merge when ready`\?/,
    );
    expect(await pull.say(`> ${ON}`)).toMatch(/Did you mean/);
    expect(pull.method()).toBeUndefined();
  });
});

it('without the setting, nothing is switched on', async () => {
  const settings = (yes: boolean) =>
    service.github.as('maintainer').push(service.repository, {
      branch: 'main',
      files: { '.github/issuewright.yml': `merge_when_ready: ${yes}\n` },
      message: 'Settings',
    });
  await settings(false);
  const pull = await pullRequest();
  expect(await pull.say(ON)).toMatch(/`merge_when_ready: true`/);
  expect(pull.method()).toBeUndefined();
  expect(pull.reactions()).toEqual(['confused']);
  await settings(true);
});

it('a command that was carried out before a crash is not carried out again', async () => {
  const pull = await pullRequest();
  const id = await pull.heard('writer', ON);
  await pull.session(id).publish();
  const tracker = await JournalTracker.open(service.store, id);
  const before = tracker.entries.filter(({ type }) => type !== 'merge_answered');
  const again: unknown[] = [];
  await answerMergeCommands(service.access(), {
    session: tracker.session,
    entries: before,
    append: async (entry) => {
      again.push(entry);
      return { ...entry, seq: 0, at: '' };
    },
  });
  const [answer] = entriesOf(tracker.entries, 'merge_answered');
  expect(again).toEqual([
    { type: 'merge_answered', received: answer?.received, answer: { kind: 'on' } },
  ]);
  await service.github.webhooksSent();
  expect(enabled(pull.number)).toBe(1);
});

import { describe, expect, it } from '@jest/globals';
import { Forbidden, NotFound, GitHubDenied } from '../../../../src/github/errors.ts';
import type { WrittenText } from '../../../../src/github/issues.ts';
import type { IssueThread } from '../../../../src/contracts/forge.ts';
import type { GitHubRepository } from '../../../../src/github/repository.ts';
import { TellModel, TryLater } from '../../../../src/lib/errors.ts';
import { issuesFor } from '../../../../src/app/run/ports/issues.ts';
import type { Store } from '../../../../src/store/store.ts';
import { Journal } from '../../../support/journal.ts';

const by = (author: string, isOwn = false): WrittenText => ({ author, isOwn, at: '', text: 'x' });

const threadOf = (page: readonly WrittenText[]): IssueThread<WrittenText> => ({
  number: 3,
  isPullRequest: false,
  state: 'open',
  title: 't',
  author: 'writer',
  labels: [],
  comments: page.length,
  updatedAt: '',
  opening: by('writer'),
  page,
  pages: 1,
});

/** What the tools see of these answers of GitHub. */
function issuesWith(
  answers: Partial<GitHubRepository>,
  savePublication: Store['savePublication'] = async () => 'saved',
) {
  const { session } = new Journal().start();
  const github = answers as GitHubRepository;
  const store = { publications: async () => [], savePublication };
  return issuesFor({ tracker: { id: 's', session }, github, store, pageUrl: () => undefined });
}

describe('the standing of a writer', () => {
  it('is looked up once for each person, and not for the App itself', async () => {
    const asked: string[] = [];
    const issues = issuesWith({
      issue: async () => threadOf([by('visitor'), by('writer'), by('bot', true), by('visitor')]),
      permissionOf: async (login) => {
        asked.push(login);
        return login === 'writer' ? 'write' : 'triage';
      },
    });
    const { opening, page } = await issues.issue(3, 1);
    await issues.issue(3, 1);
    expect([opening, ...page].map(({ standing }) => standing)).toEqual([
      'writer',
      'other',
      'writer',
      'app',
      'other',
    ]);
    expect(asked.toSorted()).toEqual(['visitor', 'writer']);
  });

  it('is that of strangers if GitHub does not say, and for everyone after the first fifty', async () => {
    let count = 0;
    const everybody = Array.from({ length: 60 }, (_, index) => by(`person-${index}`));
    const issues = issuesWith({
      issue: async () => threadOf(everybody),
      permissionOf: async (login) => {
        count += 1;
        if (login === 'person-0') throw new GitHubDenied('no', 403);
        return 'admin';
      },
    });
    const { page } = await issues.issue(3, 1);
    expect(count).toBe(50);
    expect(page.map(({ standing }) => standing === 'writer')).toEqual(
      everybody.map((_, index) => index > 0 && index < 49),
    );
  });

  it('is asked for again after GitHub could not be asked', async () => {
    let fails = true;
    const issues = issuesWith({
      issue: async () => threadOf([]),
      permissionOf: async () => {
        if (fails) throw new TryLater('busy');
        return 'write';
      },
    });
    await expect(issues.issue(3, 1)).rejects.toBeInstanceOf(TryLater);
    fails = false;
    await expect(issues.issue(3, 1)).resolves.toMatchObject({ opening: { standing: 'writer' } });
  });
});

describe('an error of GitHub', () => {
  it.each([
    [new NotFound('gone', 404), TellModel],
    [new Forbidden('locked', 403), TellModel],
    [new GitHubDenied('odd', 422), GitHubDenied],
    [new TryLater('busy'), TryLater],
  ])('%s goes to whoever can act on it', async (error, kind) => {
    const fail = async (): Promise<never> => {
      throw error;
    };
    const issues = issuesWith({ issue: fail, issues: fail, comment: fail });
    const query = { state: 'open', labels: [], page: 1 } as const;
    await expect(issues.issue(3, 1)).rejects.toBeInstanceOf(kind);
    await expect(issues.issues(query)).rejects.toBeInstanceOf(kind);
    const said = issues.comment({ issue: 3, body: 'x', at: new Date(0) });
    await expect(said).rejects.toBeInstanceOf(kind);
  });
});

it('a comment that another process made too is looked up again', async () => {
  let made = 0;
  const outcomes = ['contested', 'contested', 'saved'] as const;
  const saved: number[] = [];
  const issues = issuesWith(
    { comment: async () => ({ id: (made += 1), url: `https://x/${made}` }) },
    async (_session, { remoteId }) => {
      saved.push(remoteId);
      return outcomes[saved.length - 1] ?? 'saved';
    },
  );
  const said = await issues.comment({ issue: 3, body: 'x', at: new Date(0) });
  expect(said.url).toBe('https://x/3');
  expect(saved).toEqual([1, 2, 3]);
});

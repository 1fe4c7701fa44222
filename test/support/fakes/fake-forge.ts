import { workOf } from '../../../src/app/run/ports/forge.ts';
import { TellModel, TellPerson } from '../../../src/lib/errors.ts';
import type {
  ChangeToReview,
  Forge,
  IssueThread,
  OpenedPullRequest,
  PersonsText,
} from '../../../src/contracts/forge.ts';
import type { Effect } from '../../../src/contracts/effect.ts';
import type { FileDiff } from '../../../src/contracts/git.ts';
import type { WorkSoFar } from '../../../src/tools/define-tool.ts';
import type { FakeGit } from './fake-git.ts';
import { Journal } from '../journal.ts';

interface FakePullRequest extends OpenedPullRequest {
  readonly title: string;
  readonly body: string;
  /** What its body was made of besides the journal. */
  readonly done?: readonly Effect[] | undefined;
  draft: boolean;
  readonly reviewers: string[];
}

interface FakeIssue {
  readonly number: number;
  readonly title: string;
  readonly labels: readonly string[];
  readonly opening: PersonsText;
  readonly comments: (PersonsText & { readonly key?: string })[];
}

export interface FakeForge {
  readonly forge: Forge;
  readonly work: WorkSoFar;
  pullRequest: FakePullRequest | undefined;
  /** If set, GitHub denies opening a pull request with this message. */
  denial: string | undefined;
  /** If set, GitHub denies what submits a pull request that is open. */
  submitDenial: string | undefined;
  readonly issues: FakeIssue[];
  /** Set for a run that looks again. */
  lookingAgain?: Pick<ChangeToReview, 'news' | 'threads'>;
  /** What was submitted as reviews. */
  readonly reviews: Parameters<Forge['submitReview']>[0][];
  readonly branches: string[];
  /** Who may write here, and can be asked to review. */
  readonly writers: Set<string>;
  /** The session: what is not journaled did not happen, as far as it knows. */
  readonly journal: Journal;
  openIssue(title: string, author: string, text: string, labels?: readonly string[]): number;
  comment(number: number, author: string, text: string): void;
}

const COMMENTS_A_PAGE = 20;
const DESTINATION = { baseBranch: 'main', draft: true, reviewers: ['second-reader'] };

/** A session's repository on GitHub, in memory, and what its journal says of it. */
export function fakeForge(git: FakeGit): FakeForge {
  const journal = new Journal().start().run();
  const fake: FakeForge = {
    pullRequest: undefined,
    denial: undefined,
    submitDenial: undefined,
    issues: [],
    reviews: [],
    branches: ['main'],
    writers: new Set(['octo-maintainer', 'second-reader']),
    journal,
    forge: { ...pullRequests(), ...threads(), ...history(), submitReview, changeToReview },
    work: workOf(journal, DESTINATION),
    openIssue: (title, author, text, labels = []) => {
      const number = 8 + fake.issues.length;
      fake.issues.push({ number, title, labels, opening: written(author, text), comments: [] });
      return number;
    },
    comment: (number, author, text) => {
      fake.issues.find((issue) => issue.number === number)?.comments.push(written(author, text));
    },
  };
  return fake;

  async function submitReview(request: Parameters<Forge['submitReview']>[0]) {
    fake.reviews.push(request);
    const url = `https://github.test/pull/${request.number}#review`;
    const { news } = await changeToReview();
    const isPosted =
      news === undefined || request.remarks.length > 0 || request.verdict === 'approve';
    return { url, comments: request.remarks.length, ...(isPosted ? { isPosted } : {}) };
  }

  async function changeToReview(): Promise<ChangeToReview> {
    const files = git.commits.flatMap(({ diff }): readonly FileDiff[] => diff);
    return { files, leftOut: [], threads: [], ...fake.lookingAgain };
  }

  function written(author: string, text: string): PersonsText {
    const standing = fake.writers.has(author) ? 'writer' : 'other';
    return { author, standing, at: '2030-01-15T14:03:00Z', text };
  }

  function pullRequests(): Pick<Forge, 'openPullRequest' | 'markReady' | 'requestReview'> {
    const find = (number: number): FakePullRequest => {
      if (fake.pullRequest?.number === number) return fake.pullRequest;
      throw new Error(`no pull request ${number}`);
    };
    return {
      openPullRequest: async (text) => {
        if (fake.denial !== undefined) throw new TellPerson(fake.denial);
        if (git.commits.length === 0) throw new Error('no commits between main and the branch');
        fake.pullRequest ??= {
          number: 7,
          url: 'https://github.test/7',
          ...text,
          draft: true,
          reviewers: [],
        };
        return { number: fake.pullRequest.number, url: fake.pullRequest.url };
      },
      markReady: async (number) => {
        if (fake.submitDenial !== undefined) throw new TellPerson(fake.submitDenial);
        find(number).draft = false;
      },
      requestReview: async (number, logins) => {
        if (fake.submitDenial !== undefined) throw new TellPerson(fake.submitDenial);
        const pull = find(number);
        const asked = logins.filter((login) => fake.writers.has(login));
        for (const login of asked) if (!pull.reviewers.includes(login)) pull.reviewers.push(login);
        return { asked, denied: logins.filter((login) => !asked.includes(login)) };
      },
    };
  }

  function threads(): Pick<Forge, 'issue' | 'issues' | 'comment'> {
    const find = (number: number): FakeIssue => {
      const issue = fake.issues.find((one) => one.number === number);
      if (issue !== undefined) return issue;
      throw new TellModel(`GitHub does not have #${number} in this repository.`);
    };
    const summary = ({ number, title, labels, opening, comments }: FakeIssue) => ({
      number,
      isPullRequest: false,
      state: 'open',
      title,
      author: opening.author,
      labels,
      comments: comments.length,
      updatedAt: opening.at,
    });
    return {
      issue: async (number, page): Promise<IssueThread> => {
        const issue = find(number);
        const pages = Math.max(1, Math.ceil(issue.comments.length / COMMENTS_A_PAGE));
        const from = (pages - page) * COMMENTS_A_PAGE;
        const comments = from < 0 ? [] : issue.comments.slice(from, from + COMMENTS_A_PAGE);
        return { ...summary(issue), opening: issue.opening, page: comments, pages };
      },
      issues: async ({ labels, state }) => {
        const isWanted = (issue: FakeIssue) =>
          state !== 'closed' && labels.every((label) => issue.labels.includes(label));
        return { issues: fake.issues.filter(isWanted).map(summary), hasMore: false };
      },
      comment: async ({ issue, body, at }) => {
        const { comments } = find(issue);
        const key = `${at.getTime()} ${body}`;
        const before = comments.findIndex((one) => one.key === key);
        if (before < 0)
          comments.push({ ...written('issuewright[bot]', body), standing: 'app', key });
        const id = before < 0 ? comments.length : before + 1;
        return { url: `https://github.test/${issue}#${id}` };
      },
    };
  }

  function history(): Pick<
    Forge,
    'log' | 'commitDiff' | 'branchChange' | 'branches' | 'hasBranch'
  > {
    const names = () => [...fake.branches, ...(git.commits.length > 0 ? [fake.work.branch()] : [])];
    return {
      log: async ({ path, limit }) =>
        git.commits
          .filter(({ files }) => path === undefined || files.some((file) => file.path === path))
          .toReversed()
          .slice(0, limit)
          .map(({ sha, message, at }) => ({
            sha,
            author: 'issuewright[bot]',
            at: at.toISOString(),
            message,
          })),
      commitDiff: async (commit) => {
        const found = git.commits.find(({ sha }) => sha.startsWith(commit));
        if (found !== undefined) return found.diff;
        throw new TellModel(`There is no commit ${commit} in this repository.`);
      },
      branchChange: async () => ({
        commits: [],
        files: git.commits.flatMap(({ diff }): readonly FileDiff[] => diff),
      }),
      branches: async () => ({ names: names(), hasMore: false }),
      hasBranch: async (name) => names().includes(name),
    };
  }
}

// An issue that a person works on with a token of their own: what is read of it, and what earlier runs left there.
import { sharedTime } from '../../lib/clock.ts';
import type { SettingsLayer } from '../../session/settings/read.ts';
import { createHash } from 'node:crypto';
import type { Effect } from '../../contracts/effect.ts';
import type { HandWork, Intent, SessionOpening, Person } from '../../contracts/intent.ts';
import type { RelatedWork } from '../../contracts/related-work.ts';
import type { IssueAtRequest } from '../../events/pull-request-events.ts';
import type { RepositoryByToken } from '../../github/by-token.ts';
import type { PullRequestOfBranch } from '../../github/pull-requests.ts';
import type { UnsignedRepository } from '../../github/repository.ts';
import { TellPerson } from '../../lib/errors.ts';
import { handBranch, issueBranch } from '../../session/github-names.ts';
import { summaryIn } from '../../session/texts/pull-request-body.ts';
import { earlierComments, plannedWorkOf, type FoundComment } from '../admission/issue-context.ts';
import { keepImages } from '../admission/keep-images.ts';
import { rulesFor, settingsFor, type Rules } from '../admission/settings.ts';
import { mayAsk, type AskingAccount, type KnownRoles } from '../admission/who-may.ts';
import type { RunRepository } from '../service/service.ts';
import type { ByHand, SaidByHand } from './session-by-hand.ts';
import { wantedIssues } from '../admission/starts.ts';
import { spellCommand } from '../../lib/program-name.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

export interface IssueToWorkOn {
  readonly github: RepositoryByToken;
  readonly number: number;
  /** The issue as it was when the work was requested; `undefined`: work is requested on what it is now. */
  readonly atRequest?: IssueAtRequest | undefined;
  /** Who wants it, by the rules of the repository. */
  readonly person: Person;
  /** Settings that were given to this run. */
  readonly settingsLayer?: SettingsLayer | undefined;
  /** The name of the author of our commits. */
  readonly author: string;
  /** Whether any model sees images. */
  readonly areImagesSeen: boolean;
}

export type IssueByHand = Pick<
  ByHand,
  'repositoryUntil' | 'opened' | 'id' | 'person' | 'request' | 'before'
>;

/** @throws {TellPerson} if there is nothing to work on, or the person may not request it */
export async function issueByHand(wanted: IssueToWorkOn): Promise<IssueByHand> {
  const { github, number, person, author, settingsLayer } = wanted;
  const rules = await rulesFor(github, github.ref);
  const permissions: KnownRoles = new Map();
  if (!(await mayAsk(github, person, rules.who, permissions)))
    throw new TellPerson(
      `The rules of ${github.ref.owner}/${github.ref.name} let @${person.login} request no work: that takes the role *${rules.who}*. Ask someone who has it.`,
    );
  const { settings } = await settingsFor({ ...github, settingsLayer }, github.ref);
  const { branch, open } = await whereToWork(github, number);
  const before = await earlierWork(github, { branch, base: settings.base, author, open });
  const request = await read({ ...wanted, rules, permissions, also: open?.number });
  const byHand: HandWork = before.length === 0 ? { branch } : { branch, continues: true };
  const opened: SessionOpening = { installation: 0, repository: github.ref, issue: number, byHand };
  const id = `run-${github.ref.id}-${number}`;
  const repositoryUntil = (until: AbortSignal) => ({
    ...withoutOwn(github.until(until), branch),
    settingsLayer,
  });
  return { repositoryUntil, opened, id, person, request, before };
}

interface WorkBranch {
  readonly branch: string;
  readonly open: PullRequestOfBranch | undefined;
}

const MOST_PULL_REQUESTS = 30;

/** The branch of the open pull request of earlier runs; after one that was merged or closed, another branch. */
async function whereToWork(github: RepositoryByToken, issue: number): Promise<WorkBranch> {
  for (let count = 1; count <= MOST_PULL_REQUESTS; count += 1) {
    const branch = handBranch(issue, count);
    const pulls = await github.pullRequestsOf(branch);
    const open = pulls.find(({ isOpen }) => isOpen);
    if (open !== undefined || pulls.length === 0) return { branch, open };
  }
  throw new TellPerson(
    `${MOST_PULL_REQUESTS} pull requests of runs by hand for issue #${issue} were closed. Work on it without \`${spellCommand('run')}\`, or open another issue.`,
  );
}

const MOST_COMMITS = 50;

interface EarlierBranch extends WorkBranch {
  readonly base: string | undefined;
  readonly author: string;
}

/** What the journals of earlier runs held, as far as GitHub knows it. */
async function earlierWork(
  github: RepositoryByToken,
  { branch, base = github.defaultBranch, author, open }: EarlierBranch,
): Promise<readonly Effect[]> {
  if (!(await github.hasBranch(branch))) return [];
  const { commits } = await github.changeSince(base, branch);
  const effects: Effect[] = [];
  for (const { sha, message } of commits
    .filter((one) => one.author === author)
    .slice(-MOST_COMMITS)) {
    const changed = (await github.commitFiles(sha)) ?? [];
    const files = changed.map(
      ({ path, status }) =>
        ({
          path,
          status: status === 'renamed' ? 'modified' : status,
        }) as const,
    );
    effects.push({ type: 'commit', sha, message, files });
  }
  if (open === undefined) return effects;
  const { number, url, title, body } = open;
  return [...effects, { type: 'pull_request', number, url, title, description: summaryIn(body) }];
}

interface ReadingScope extends IssueToWorkOn {
  readonly rules: Rules;
  readonly permissions: KnownRoles;
  /** The pull request whose comments are read too. */
  readonly also: number | undefined;
}

/** What people see of the issue, and of the comments of those who could have requested the work. */
async function read(reading: ReadingScope): Promise<SaidByHand> {
  const { github, number, atRequest, areImagesSeen: areSeen } = reading;
  const { ref } = github;
  const [{ title: titleNow, isPullRequest, state }, now] = await Promise.all([
    github.issue(number, 1),
    github.issueState(number),
  ]);
  if (isPullRequest)
    throw new TellPerson(
      `#${number} of ${ref.owner}/${ref.name} is a pull request. Name an issue: a run continues the pull request that earlier runs opened for it.`,
    );
  if (state !== 'open')
    throw new TellPerson(
      `Issue #${number} of ${ref.owner}/${ref.name} is closed. Reopen it first.`,
    );
  const { text } = now;
  const { title, body } = atRequest ?? { title: titleNow, body: text.body ?? '' };
  const digest = createHash('sha256').update(`${title}\n${body}`).digest('hex');
  const shown = await github.shown({ on: 'issue', number }, body, text);
  const isTrusted = (author: AskingAccount) => speaks(reading, author);
  const issue = {
    title,
    digest,
    ...shown,
    ...(await plannedWorkOf(number, now, github, isTrusted)),
  };
  const earlier = await commentsFor(reading);
  const found = { type: 'admitted', received: 0, issue, earlier, lineComments: [] } as const;
  const { verdict, images } = await keepImages(found, { github, entries: [], areSeen });
  const intent: Intent = { kind: 'start', label: '', title, body };
  return { intent, verdict: partsOf(verdict), images };
}

function partsOf(
  verdict: Awaited<ReturnType<typeof keepImages>>['verdict'],
): SaidByHand['verdict'] {
  if (verdict.type !== 'admitted') throw new TypeError('what was read is not admitted');
  const { issue, earlier = [] } = verdict;
  return withoutUndefined({ issue, earlier: earlier.length === 0 ? undefined : earlier });
}

async function commentsFor(reading: ReadingScope): Promise<readonly FoundComment[]> {
  const { github, number, atRequest, also } = reading;
  const at = atRequest?.at ?? `${sharedTime().toISOString().slice(0, 19)}Z`;
  const comments = (issue: number): Promise<readonly FoundComment[]> =>
    earlierComments(github, { issue, at, except: new Set() }, (author) => speaks(reading, author));
  return [...(await comments(number)), ...(also === undefined ? [] : await comments(also))];
}

/** Whether someone is the person at the terminal, or may request work. */
const speaks = async (
  { github, person, rules, permissions }: ReadingScope,
  author: AskingAccount,
): Promise<boolean> => author.id === person.id || mayAsk(github, author, rules.who, permissions);

/** What earlier runs by hand did for the issue is no work of others that may solve it. */
const withoutOwn = (github: UnsignedRepository, branch: string): RunRepository => ({
  ...github,
  relatedWork: async (issue) => {
    const found = await github.relatedWork(issue);
    return found && othersIn(found, branch);
  },
});

const othersIn = (found: RelatedWork, own: string): RelatedWork => ({
  ...found,
  pulls: found.pulls.filter(({ branch, isFromFork }) => isFromFork || branch !== own),
  branches: found.branches.filter((branch) => branch !== own),
});

// Continuous work by hand on GitHub: after an issue, the next open one with the label.

/** The oldest that nobody has begun, by hand or by an App, and that a person who may request work labelled. */
export async function nextIssue(
  github: RepositoryByToken,
  begun: ReadonlySet<number>,
): Promise<IssueAtRequest | undefined> {
  const rules = await rulesFor(github, github.ref);
  const isBegun = async (issue: number): Promise<boolean> =>
    begun.has(issue) || hasWork(github, issue);
  for await (const { number, title, body, trigger } of wantedIssues(github, rules, isBegun))
    // These words were read before it was asked who edited them.
    return { number, title, body, at: trigger.at };
  return undefined;
}

async function hasWork(github: RepositoryByToken, issue: number): Promise<boolean> {
  for (const branch of [handBranch(issue, 1), issueBranch(issue)])
    if (await github.hasBranch(branch)) return true;
  return false;
}

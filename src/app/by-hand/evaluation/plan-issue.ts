// What the agent would do about an issue: it reads the repository and makes its plan, and nothing is changed anywhere.
import { NotFound } from '../../../github/errors.ts';
import type { ClosingPull } from '../../../github/closed-issues.ts';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import { sharedTime } from '../../../lib/clock.ts';
import { TellPerson } from '../../../lib/errors.ts';
import type { Entry } from '../../../session/entry.ts';
import type { Session } from '../../../session/session.ts';
import type { Rules } from '../../admission/settings.ts';
import { attempt, requestOf, type AttemptScope, type Measures } from './attempt.ts';
import type { ExaminationScope } from './tasks.ts';

export interface PlanningScope extends AttemptScope, ExaminationScope {
  readonly github: RepositoryByToken;
  readonly rules: Rules;
  readonly model: string;
}

/** An issue, and where its work would begin. */
export interface IssueToPlan {
  readonly number: number;
  readonly title: string;
  /** What solved it: the agent begins before it, and reads nothing later. */
  readonly solvedBy: ClosingPull | undefined;
}

export interface PlannedIssue {
  readonly base: string;
  readonly measures: Measures;
  /** How it ended. */
  readonly session: Session;
  /** Its steps; `undefined`: it made no plan. */
  readonly plan: readonly string[] | undefined;
}

const MOST_PAGES = 40;

/** @throws {TellPerson} if one of them is no issue */
export async function issuesToPlan(
  github: RepositoryByToken,
  numbers: readonly number[],
): Promise<readonly IssueToPlan[]> {
  const found = await Promise.all(numbers.map((number) => readIssue(github, number)));
  const closed = found.filter(({ isOpen }) => !isOpen).map(({ number }) => number);
  const solvers = await solversOf(github, closed);
  return found.map(({ number, title }) => ({ number, title, solvedBy: solvers.get(number) }));
}

async function readIssue(github: RepositoryByToken, number: number) {
  const of = `#${number} of ${github.ref.owner}/${github.ref.name}`;
  const found = await github.issue(number, 1).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new TellPerson(`${of} does not exist, or GITHUB_TOKEN may not read it.`);
  });
  const { title, isPullRequest, state } = found;
  if (isPullRequest) throw new TellPerson(`${of} is a pull request. Name issues.`);
  return { number, title, isOpen: state === 'open' };
}

/** The first pull request that closed each. The list begins with the newest, and ends once all are found. */
async function solversOf(
  github: RepositoryByToken,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, ClosingPull>> {
  const found = new Map<number, ClosingPull>();
  const oldest = Math.min(...numbers);
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES && numbers.length > 0; page += 1) {
    const { issues, next } = await github.closedIssues(after);
    for (const { number, pulls } of issues) {
      const [first] = pulls.toSorted((one, other) => one.mergedAt.localeCompare(other.mergedAt));
      if (first !== undefined && numbers.includes(number)) found.set(number, first);
    }
    if (next === undefined || issues.some(({ number }) => number <= oldest)) break;
    after = next;
  }
  return found;
}

/** `heard`: is called with what is journaled. Must not throw. */
export async function planIssue(
  planning: PlanningScope,
  { number, title, solvedBy }: IssueToPlan,
  heard: (entries: readonly Entry[]) => void,
): Promise<PlannedIssue> {
  const { github, repositories, service, model } = planning;
  const base = await baseOf(github, solvedBy);
  await repositories.fetch([base], {
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    maxBytes: service.git.maxBytes,
  });
  const openedAt = solvedBy?.openedAt ?? sharedTime().toISOString();
  const request = await requestOf(planning, { issue: number, title, openedAt });
  let isPlanned = false;
  const answer: AttemptScope['answer'] = async (waiting) => {
    isPlanned = waiting.proposal !== undefined;
    return isPlanned ? undefined : planning.answer(waiting);
  };
  const { session, measures } = await attempt(
    { ...planning, answer },
    { base, branch: `issuewright/issue-${number}`, request },
    { model, budget: undefined, heard },
  );
  const plan = isPlanned ? session.work.plan.map((step) => step.title) : undefined;
  return { base, measures, session, plan };
}

async function baseOf(
  github: RepositoryByToken,
  solvedBy: ClosingPull | undefined,
): Promise<string> {
  if (solvedBy !== undefined) return github.mergeBase(solvedBy.base, solvedBy.head);
  const [newest] = await github.commits({ from: github.defaultBranch, limit: 1 });
  if (newest !== undefined) return newest.sha;
  throw new TellPerson(`${github.ref.owner}/${github.ref.name} has no commits yet.`);
}

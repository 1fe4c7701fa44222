// One model works on one task, and hidden tests judge what it did.
import type { Person } from '../../../contracts/intent.ts';
import type { Entry } from '../../../session/entry.ts';
import { ProcessJournal } from '../../../store/process-journal.ts';
import { serveFolder } from '../../../workspace/git/folder/folder-server.ts';
import type {
  ChangeSize,
  CommittedFile,
  TaskRepositories,
} from '../../../workspace/git/folder/task-repository.ts';
import { folderOnDisk } from '../folder-on-disk.ts';
import {
  sessionByHand,
  type ByHand,
  type EndedSession,
  type SaidByHand,
} from '../session-by-hand.ts';
import { RunMeasurement, type Measures } from './measures.ts';
import { testsOfCommit, withTodaysSettings, type EvaluationScope } from './tests-of-commit.ts';
import { createHash } from 'node:crypto';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import { earlierComments } from '../../admission/earlier-comments.ts';
import type { Rules } from '../../admission/settings.ts';
import { mayAsk, type KnownRoles } from '../../admission/who-may.ts';
import type { Task } from './examine.ts';

export interface AttemptScope extends EvaluationScope {
  readonly repositories: TaskRepositories;
  readonly person: Person;
  readonly answer: ByHand['answer'];
}

/** What is to be done. */
export interface Assignment {
  /** The commit at which the agent begins: it has this one, and nothing of what came later. */
  readonly base: string;
  /** That the agent makes. */
  readonly branch: string;
  readonly request: SaidByHand;
}

export interface EvaluationAttempt {
  readonly model: string;
  /** US dollars that it may cost; `undefined`: the operator's limits hold alone. */
  readonly budget: number | undefined;
  /** Called with what was journaled. Must not throw. */
  readonly heard: (entries: readonly Entry[]) => void;
}

export interface AttemptResult extends EndedSession {
  /** The last one of the agent's branch; `undefined`: it committed nothing. */
  readonly commit: string | undefined;
  readonly measures: Measures;
  readonly size: ChangeSize;
}

export async function attempt(
  { repositories, service, settings, person, answer, stopped }: AttemptScope,
  { base, branch, request }: Assignment,
  { model, budget, heard }: EvaluationAttempt,
): Promise<AttemptResult> {
  const measuring = new RunMeasurement();
  const repository = await repositories.alone(base);
  const folder = { commit: base, base: 'main', branch };
  const server = await serveFolder(repository);
  try {
    const ended = await sessionByHand({
      service: { ...service, operator: limited(service.operator, model, budget) },
      journal: new ProcessJournal((_session, entries) => {
        measuring.hear(entries);
        heard(entries);
      }),
      repositoryUntil: () => withTodaysSettings(folderOnDisk(repository, server, folder), settings),
      opened: {
        installation: 0,
        repository: { id: 0, owner: 'folder', name: repository.name },
        issue: 0,
        folder,
      },
      person,
      request,
      answer,
      stopped,
    });
    const { measures } = measuring;
    const commit = ended.session.work.commits.at(-1)?.sha;
    if (commit !== undefined) await repositories.take(repository, branch, commit);
    const size = await repositories.changeSize(base, commit ?? base);
    return { ...ended, commit, measures, size };
  } finally {
    await server.close();
  }
}

/** Runs the hidden tests, put over what was committed. They fail at the base commit, or it were no task. */
export async function isSolved(
  ground: EvaluationScope,
  repositories: TaskRepositories,
  commit: string | undefined,
  hidden: readonly CommittedFile[],
): Promise<boolean> {
  if (commit === undefined) return false;
  const judged = await repositories.withFiles(commit, hidden);
  return (await testsOfCommit(ground, repositories.all, judged)).isPassed;
}

const limited = (
  operator: EvaluationScope['service']['operator'],
  model: string,
  budget = Infinity,
): EvaluationScope['service']['operator'] => {
  const { dollars, ...limits } = operator.limits;
  const within = (limit: number | undefined): number | undefined => {
    const least = Math.min(limit ?? Infinity, budget);
    return least === Infinity ? undefined : least;
  };
  const run = within(dollars.run);
  const issue = within(dollars.issue);
  const budgets = { run, issue, repositoryDay: undefined };
  return {
    ...operator,
    models: [model],
    onlyModel: model,
    limits: { ...limits, dollars: budgets },
  };
};

// What the agent reads of a closed issue.

interface ReadingScope {
  readonly github: RepositoryByToken;
  readonly rules: Rules;
}

/** What people saw of the issue when the pull request was opened, as far as its authors could have requested the work. */
export async function requestOf(
  { github, rules }: ReadingScope,
  { issue, title, openedAt }: Pick<Task, 'issue' | 'title' | 'openedAt'>,
): Promise<SaidByHand> {
  const { text } = await github.issueState(issue);
  const source = text.body ?? '';
  const shown = await github.shown({ on: 'issue', number: issue }, source, text);
  const body = `${title}\n\n${shown.body}`.trimEnd();
  const permissions: KnownRoles = new Map();
  const before = {
    commentsAsOf: async (number: number, at: string) =>
      (await github.commentsAsOf(number, at)).filter(({ writtenAt }) => writtenAt < at),
  };
  const comments = await earlierComments(
    before,
    { issue, at: openedAt, except: new Set() },
    (author) => mayAsk(github, author, rules.who, permissions),
  );
  const earlier = comments.map(({ id, author, body: said }) => ({ id, author, body: said }));
  const digest = createHash('sha256').update(`${title}\n${source}`).digest('hex');
  return {
    intent: { kind: 'start', label: '', title, body },
    verdict: {
      issue: { title, body, digest },
      ...(earlier.length === 0 ? {} : { earlier }),
    },
  };
}

// One model works on one task, and the tests of the pull request judge what it did.
import { createHash } from 'node:crypto';
import type { Person } from '../../../contracts/intent.ts';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import type { Entry } from '../../../session/entry.ts';
import { ProcessJournal } from '../../../store/process-journal.ts';
import { serveFolder } from '../../../workspace/git/folder/folder-server.ts';
import { earlierComments } from '../../admission/earlier-comments.ts';
import { mayAsk, type Permissions } from '../../admission/who-may.ts';
import type { Rules } from '../../admission/settings.ts';
import { folderOnDisk } from '../folder-on-disk.ts';
import { sessionByHand, type ByHand, type Ended, type Said } from '../session-by-hand.ts';
import { testsOf, type Examining, type Task } from './examine.ts';
import { testsOfCommit, withSettings } from './tests-of-commit.ts';

export interface Attempting extends Examining {
  readonly github: Examining['github'] & RepositoryByToken;
  readonly rules: Pick<Rules, 'who'>;
  readonly person: Person;
  readonly answer: ByHand['answer'];
}

export interface Attempt {
  readonly model: string;
  /** US dollars that it may cost. */
  readonly budget: number;
  /** Called with what was journaled. Must not throw. */
  readonly heard: (entries: readonly Entry[]) => void;
}

/** The agent has the commit at which the work began, and nothing of what came later. */
export async function attempt(
  attempting: Attempting,
  task: Task,
  { model, budget, heard }: Attempt,
): Promise<Ended & { readonly commit: string | undefined }> {
  const { repositories, service, settings, person, answer, stopped } = attempting;
  const request = await read(attempting, task);
  const repository = await repositories.alone(task.base);
  const branch = `issuewright/issue-${task.issue}`;
  const folder = { commit: task.base, base: 'main', branch };
  const server = await serveFolder(repository);
  try {
    const ended = await sessionByHand({
      service: { ...service, operator: limited(service.operator, model, budget) },
      journal: new ProcessJournal((_session, entries) => heard(entries)),
      repositoryUntil: () => withSettings(folderOnDisk(repository, server, folder), settings),
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
    const commit = ended.session.work.commits.at(-1)?.sha;
    if (commit !== undefined) await repositories.take(repository, branch, commit);
    return { ...ended, commit };
  } finally {
    await server.close();
  }
}

/** The tests of the pull request, put over what the agent committed. */
export async function isSolved(
  attempting: Attempting,
  task: Task,
  commit: string | undefined,
): Promise<boolean> {
  // They fail at the base commit, or it were no task.
  if (commit === undefined) return false;
  const { repositories } = attempting;
  const judged = await repositories.withFiles(commit, await testsOf(repositories, task));
  return (await testsOfCommit(attempting, repositories.all, judged)).isPassed;
}

const limited = (
  operator: Examining['service']['operator'],
  model: string,
  budget: number,
): Examining['service']['operator'] => {
  const { dollars, ...limits } = operator.limits;
  const within = (limit: number | undefined): number => Math.min(limit ?? Infinity, budget);
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

/** What people saw of the issue when the pull request was opened, as far as its authors could have requested the work. */
async function read(attempting: Attempting, { issue, title, openedAt }: Task): Promise<Said> {
  const { github, rules } = attempting;
  const { text } = await github.issueState(issue);
  const source = text.body ?? '';
  const shown = await github.shown({ on: 'issue', number: issue }, source, text);
  const body = `${title}\n\n${shown.body}`.trimEnd();
  const permissions: Permissions = new Map();
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

// A task in a folder of this machine.
import { folderOnDisk } from '../../app/by-hand/folder-on-disk.ts';
import { sessionByHand, taskOf } from '../../app/by-hand/session-by-hand.ts';
import { readByHand, type Environment, type HandConfig } from '../../config.ts';
import { secretsByHand } from '../../config/secrets.ts';
import type { Folder, Person } from '../../contracts/intent.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { Session } from '../../session/session.ts';
import { ProcessJournal } from '../../store/process-journal.ts';
import { FolderRepository } from '../../workspace/git/folder/folder.ts';
import { serveFolder } from '../../workspace/git/folder/folder-server.ts';
import { requireTemporaryDirectory } from '../../workspace/temporary-directory.ts';
import { answersFrom } from './answers.ts';
import { borrowedWords } from './borrowed-words.ts';
import { openHandContext, type HandOptions } from '../hand-context.ts';
import type { ProgressPrinter } from '../progress.ts';
import { reportResult, type Came } from './result.ts';

export interface FolderTask extends HandOptions {
  readonly task: string;
  readonly environment: Environment;
}

const PERSON: Person = { login: 'you', id: 0 };

/** Resolves with the exit code. */
export async function workInFolder(given: FolderTask): Promise<number> {
  const config = readByHand(given.environment);
  await requireTemporaryDirectory();
  const { signal } = new AbortController();
  const repository = await FolderRepository.find(process.cwd(), signal, given.environment);
  try {
    return await workIn(repository, config, given);
  } finally {
    await repository.close();
  }
}

async function workIn(
  repository: FolderRepository,
  config: HandConfig,
  given: FolderTask,
): Promise<number> {
  const folder = await whereToWork(repository, given.task);
  const context = await openHandContext(config, createRedactor(secretsByHand(config)), given);
  const { service, progress, stopped } = context;
  const server = await serveFolder(repository);
  try {
    // Git looks while the work begins.
    const described = describe(repository, folder, progress);
    described.catch(() => {});
    const { shells } = service;
    const borrowed = shells?.contained && (await repository.dependencies());
    const readable = shells?.contained?.readable;
    if (readable !== undefined)
      for (const words of borrowedWords(borrowed, readable, given.environment['PATH']))
        progress.say(words);
    progress.begin();
    const ended = await sessionByHand({
      service,
      journal: new ProcessJournal((_session, entries) => progress.hear(entries)),
      repositoryUntil: () => ({
        ...folderOnDisk(repository, server, folder, borrowed),
        settingsLayer: given.settingsLayer,
      }),
      opened: {
        installation: 0,
        repository: { id: 0, owner: 'folder', name: repository.name },
        issue: 0,
        folder,
      },
      person: PERSON,
      request: taskOf(given.task),
      isContinuous: given.isContinuous,
      answer: answersFrom({ ...context, ...given }),
      stopped,
    });
    await described;
    progress.rest();
    const came = await cameOf(ended.session, folder, repository, given);
    return reportResult(ended, came, { ...given, ...context });
  } finally {
    await context.close();
    await server.close();
  }
}

/** The commit that is checked out, and a branch that does not exist yet. */
async function whereToWork(repository: FolderRepository, task: string): Promise<Folder> {
  const { commit, branch } = repository.head();
  const words = task.toLowerCase().match(/[a-z0-9]+/g) ?? ['task'];
  const name = `issuewright/${words.slice(0, 6).join('-').slice(0, 50)}`;
  let own = name;
  for (let count = 2; await repository.isTaken(own); count += 1) own = `${name}-${count}`;
  return { commit, base: branch ?? commit, branch: own };
}

const MOST_NAMED = 5;

async function describe(
  repository: FolderRepository,
  { commit, base, branch }: Folder,
  progress: ProgressPrinter,
): Promise<void> {
  const from = base === commit ? '' : ` of ${base}`;
  progress.say(`Working on ${branch}, from commit ${commit.slice(0, 10)}${from}.`);
  const left = await repository.uncommitted();
  if (left.length === 0) return;
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  progress.say(
    `Not committed, so the agent neither sees nor changes it: ${left.slice(0, MOST_NAMED).join(', ')}${more}.`,
  );
}

async function cameOf(
  { work: { commits } }: Session,
  { commit, base, branch }: Folder,
  repository: FolderRepository,
  { terminal }: FolderTask,
): Promise<Came> {
  const last = commits.at(-1);
  const diff = last === undefined ? '' : await repository.patchSince(commit, last.sha);
  const many = commits.length === 1 ? '1 commit' : `${commits.length} commits`;
  return {
    facts: { branch: last === undefined ? null : branch, base },
    ends: { diff },
    output: (terminal.columns === undefined ? diff : escapeUnseen(diff)).trimEnd(),
    words:
      last === undefined
        ? 'Nothing was committed.'
        : `${many} on ${branch}. To merge: git merge ${branch}`,
  };
}

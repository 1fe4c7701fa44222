// A task in a folder of this machine.
import { folderOnDisk } from '../../app/by-hand/folder-on-disk.ts';
import { sessionByHand, taskOf } from '../../app/by-hand/session-by-hand.ts';
import { readByHand, secretsByHand, type Environment, type HandConfig } from '../../config.ts';
import type { Folder, Person } from '../../contracts/intent.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { Session } from '../../session/session.ts';
import { ProcessJournal } from '../../store/process-journal.ts';
import { FolderRepository } from '../../workspace/git/folder/folder.ts';
import { serveFolder } from '../../workspace/git/folder/folder-server.ts';
import { requireTemporaryDirectory } from '../../workspace/work-directory.ts';
import { answersFrom } from './answers.ts';
import { openHandContext, type HandOptions } from '../hand-context.ts';
import type { ProgressPrinter } from '../progress.ts';
import { reportResult, type RunResultFacts } from './result.ts';
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { BorrowedDirectories } from '../../contracts/shell.ts';
import { unreadablePaths } from '../../../packages/sandbox/src/inside/system-mounts.ts';
import { SYSTEM_PATH } from '../../lib/directories.ts';
import { unlessItFails } from '../../lib/errors.ts';

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
): Promise<RunResultFacts> {
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

// What a person is told of the dependencies and programs that commands see, and of those that they do not.

const MOST_BORROWED = 4;

/**
 * Sentences for the start.
 * @param readable what commands see besides the system's own directories
 * @param path the person's PATH
 */
export function borrowedWords(
  borrowed: BorrowedDirectories | undefined,
  readable: readonly string[],
  path: string | undefined,
): readonly string[] {
  const { root = '', paths = [] } = borrowed ?? {};
  const elsewhere = [
    ...paths.flatMap((each) => placesOfPrograms(join(root, each))),
    ...(path ?? '').split(delimiter).filter((each) => isAbsolute(each) && holdsPrograms(each)),
  ].map((each) => unlessItFails(() => realpathSync(each)) ?? each);
  const seen = [root, '/usr', ...SYSTEM_PATH, ...readable].filter(Boolean);
  const unseen = [...new Set(elsewhere)].filter(
    (each) => !seen.some((outer) => `${each}/`.startsWith(`${outer}/`)),
  );
  const closed = new Set(unreadablePaths(paths.map((each) => join(root, each))));
  const shown = paths.filter((each) => !closed.has(join(root, each)));
  const hidden = paths.filter((each) => closed.has(join(root, each)));
  const words: string[] = [];
  if (shown.length > 0)
    words.push(`Commands can read but not change ${named(shown)} of this folder.`);
  if (hidden.length > 0)
    words.push(
      `Commands do not see ${named(hidden)} of this folder: they never run as root, and their user cannot enter it. Run Issuewright as the folder's owner.`,
    );
  if (unseen.length > 0)
    words.push(
      `Commands do not see the programs in ${named(unseen)}. To show them a toolchain, put its directory into SANDBOX_READ_PATHS.`,
    );
  return words;
}

const named = (all: readonly string[]): string =>
  all.slice(0, MOST_BORROWED).join(', ') +
  (all.length > MOST_BORROWED ? ` and ${all.length - MOST_BORROWED} more` : '');

const holdsPrograms = (directory: string): boolean =>
  unlessItFails(() => {
    accessSync(directory, constants.X_OK);
    return readdirSync(directory).length > 0;
  }) === true;

/** Where the interpreter of a virtual environment is. */
const placesOfPrograms = (directory: string): readonly string[] => {
  const interpreter = join(directory, 'bin/python');
  if (!existsSync(interpreter)) return [];
  const real = unlessItFails(() => realpathSync(interpreter));
  return real === undefined ? [] : [dirname(real)];
};

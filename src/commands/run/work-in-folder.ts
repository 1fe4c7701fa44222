// Wires a session by hand in a folder: the parts of the service that a run needs, and no others.
import { sessionByHand } from '../../app/by-hand/session-by-hand.ts';
import { folderOnDisk } from '../../app/by-hand/folder-on-disk.ts';
import type { RunService } from '../../app/run/scope.ts';
import { PauseWatch } from '../../app/service/pause-watch.ts';
import { openShells } from '../../app/service/shells.ts';
import { readByHand, type Environment, type HandConfig } from '../../config.ts';
import { secretsByHand } from '../../config/secrets.ts';
import type { Folder } from '../../contracts/intent.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import { FULL_WRITE_BUDGET } from '../../lib/write-budget.ts';
import { offered, openModel } from '../../models/index.ts';
import { endLeftovers } from '../../sandbox/running/leftovers.ts';
import { ProcessJournal } from '../../store/process-journal.ts';
import { chooseGit } from '../../workspace/git/engines/choose-engine.ts';
import { FolderRepository } from '../../workspace/git/folder/folder.ts';
import { serveFolder } from '../../workspace/git/folder/folder-server.ts';
import { GitThreads } from '../../workspace/git/threads.ts';
import { requireTemporaryDirectory, sweepWorkspaces } from '../../workspace/temporary-directory.ts';
import { firstSignal, type Terminal } from '../command.ts';
import { openLog } from '../log.ts';
import { sendTelemetry } from '../send-telemetry.ts';
import { answersFrom } from './answers.ts';
import { Progress } from './progress.ts';
import { report } from './result.ts';

export interface FolderTask {
  readonly task: string;
  readonly environment: Environment;
  readonly isYes: boolean;
  readonly isJson: boolean;
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
}

/** Resolves with the exit code. */
export async function workInFolder(given: FolderTask): Promise<number> {
  const config = readByHand(given.environment);
  const stopping = new AbortController();
  const repository = await FolderRepository.find(process.cwd(), new AbortController().signal);
  const folder = await whereToWork(repository, given.task);
  const progress = new Progress(process.stderr, given.terminal.paint);
  await describe(repository, folder, progress);
  await requireTemporaryDirectory();
  await sweepWorkspaces(endLeftovers);
  const server = await serveFolder(repository);
  const bench = await openBench(config, progress);
  stopWithSignal(stopping, progress);
  const journal = new ProcessJournal((_session, entries) => progress.hear(entries));
  progress.begin();
  try {
    const session = await sessionByHand({
      service: bench.service,
      journal,
      github: folderOnDisk(repository, server, folder),
      opened: {
        installation: 0,
        repository: { id: 0, owner: 'folder', name: repository.name },
        issue: 0,
        folder,
      },
      task: given.task,
      answer: answersFrom({
        progress,
        isYes: given.isYes,
        isTerminal: process.stdin.isTTY && process.stderr.isTTY,
        stopped: stopping.signal,
      }),
      stopped: stopping.signal,
    });
    progress.rest();
    return await report({
      ...given,
      session,
      folder,
      repository,
      progress,
      isStopped: stopping.signal.aborted,
    });
  } finally {
    progress.rest();
    await bench.close();
    await server.close();
  }
}

function stopWithSignal(stopping: AbortController, progress: Progress): void {
  void firstSignal().then(() => {
    progress.say(
      'Stopping: what was changed is committed to the branch. Ctrl-C again ends at once.',
    );
    stopping.abort();
  });
}

/** The commit that is checked out, and a branch that does not exist yet. */
async function whereToWork(repository: FolderRepository, task: string): Promise<Folder> {
  const { commit, branch } = await repository.head();
  const taken = new Set(await repository.branches());
  const words = task.toLowerCase().match(/[a-z0-9]+/g) ?? ['task'];
  const name = `issuewright/${words.slice(0, 6).join('-').slice(0, 50)}`;
  let own = name;
  for (let count = 2; taken.has(own); count += 1) own = `${name}-${count}`;
  return { commit, base: branch ?? commit, branch: own };
}

const MOST_NAMED = 5;

async function describe(
  repository: FolderRepository,
  { commit, base, branch }: Folder,
  progress: Progress,
): Promise<void> {
  const from = base === commit ? '' : ` of ${base}`;
  progress.say(`Working on ${branch}, from commit ${commit.slice(0, 10)}${from}.`);
  const left = await repository.uncommitted();
  if (left.length === 0) return;
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  progress.say(
    `Not committed, so the agent does not see it, and it stays as it is: ${left.slice(0, MOST_NAMED).join(', ')}${more}.`,
  );
}

async function openBench(config: HandConfig, progress: Progress) {
  const redactor = createRedactor(secretsByHand(config));
  const log = await openLog({ logLevel: config.logLevel, logFormat: 'pretty' }, redactor, {
    write: (line) => process.stderr.write(line),
    isTTY: process.stderr.isTTY,
    hasColors: () => false,
  });
  const closeTelemetry = await sendTelemetry(config.openTelemetry, { log });
  // What is fetched comes from this machine: nothing is gained by keeping it.
  const git = await chooseGit(
    { ...config.git, cacheMaxBytes: 0, cacheDirectory: '', workDirectory: '' },
    log,
  );
  const threads = new GitThreads();
  threads.warm();
  const shells = await openShells(config.shell, { dataDir: 'data', log });
  if (config.shell.isAllowed && shells === undefined)
    progress.say(
      'The sandbox does not work on this machine, so the agent runs no commands (LOG_LEVEL=warn says why).',
    );
  const { limits } = config.agent;
  const service: Omit<RunService, 'store'> = {
    operator: { ...config.agent, ...offered(config.models), limits },
    allowedBots: [],
    openModel: (name) => openModel(name, config.models.settings, config.models.catalog),
    author: () => Promise.resolve({ name: 'Issuewright', email: 'issuewright@localhost' }),
    writeBudget: () => Promise.resolve(FULL_WRITE_BUDGET),
    git: git.settings,
    threads,
    shells,
    servers: config.servers,
    pause: new PauseWatch({ servicePause: () => Promise.resolve(undefined) }),
    pageUrl: () => undefined,
    redact: redactor.redact,
    log,
  };
  const close = async (): Promise<void> => {
    await shells?.close();
    await threads.close();
    await git.close();
    await closeTelemetry();
  };
  return { service, close };
}
